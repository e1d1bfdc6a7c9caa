--- Plugin: an edit of a selection with its preview, kept and rejected; stopped by a command; diagnostics mended

local kit = require("kit")
local plugin = require("plugin")

local project = kit.project()
local env = plugin.script(project, [==[
[[answer]]
when = "louder"
step = [{ text = "    println!(\"HELLO\");", deltas = 4 }]
drip = { bytes = 200, every_ms = 20 }

[[answer]]
when = "slowly"
step = [{ text = "    never();", deltas = 2 }, { hang = true }]

[[answer]]
when = "too quiet"
step = [{ text = "fn main() {\n    println!(\"fixed\");\n}" }]

[[answer]]
forever = true
step = [{ text = "    println!(\"again\");" }]
]==])
plugin.setup(project, { env = env })
local buffer = plugin.open(project.main)
local inline, hunks = require("bowline.inline"), require("bowline.hunks")
local space = vim.api.nvim_create_namespace("bowline.inline")

local seen = {}
vim.api.nvim_create_autocmd("User", { pattern = "none", callback = function() end })
local draw = inline.on_delta
inline.on_delta = function(params)
  draw(params)
  local marks = vim.api.nvim_buf_get_extmarks(buffer, space, 0, -1, { details = true })
  table.insert(seen, vim.inspect(marks))
end
vim.cmd("2Bowline edit make it louder")
kit.wait(function()
  return kit.lines(buffer)[2] == '    println!("HELLO");'
end, "the edit has landed")
kit.check(#seen > 0 and seen[#seen]:find("HELLO", 1, true), "the preview showed it first", seen)
kit.wait(function()
  return #vim.api.nvim_buf_get_extmarks(buffer, space, 0, -1, {}) == 0
end, "the preview is gone")
kit.wait(function()
  return #hunks.of(buffer) == 1
end, "it is a change to decide about")
vim.api.nvim_win_set_cursor(0, { 2, 0 })
plugin.press("<leader>vr")
kit.wait(function()
  return vim.deep_equal(kit.lines(buffer), kit.MAIN)
end, "rejected, all is as it was")

-- Stopped in the middle: nothing of it stays.
vim.cmd("2BowlineEdit do it slowly")
kit.wait(function()
  return seen[#seen]:find("never", 1, true) ~= nil
end, "the preview has begun")
vim.cmd("Bowline cancel")
kit.wait(function()
  return vim.tbl_isempty(inline.open)
end, "it is stopped")
kit.check(vim.deep_equal(kit.lines(buffer), kit.MAIN), "nothing changed", kit.lines(buffer))

-- What somebody found wrong here is mended.
local found = vim.api.nvim_create_namespace("somebody")
vim.diagnostic.set(found, buffer, { { lnum = 1, col = 4, end_lnum = 1, end_col = 11, message = "too quiet", severity = 2 } })
vim.cmd("2Bowline fix")
kit.wait(function()
  return kit.lines(buffer)[2] == '    println!("fixed");'
end, "the fix has landed")

-- By a code action, with the standard's own menu. The keys of a selection work as well.
vim.ui.input = function(_, done)
  done("do it again")
end
vim.api.nvim_win_set_cursor(0, { 2, 0 })
vim.keymap.set("x", "ge", "<Plug>(bowline-edit)")
plugin.press("Vge")
kit.wait(function()
  return kit.lines(buffer)[2] == '    println!("again");'
end, "the selection was edited")
plugin.leave()
