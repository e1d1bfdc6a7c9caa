--- Plugin: several changes: next and previous, reject one, part of one by motion, all of a file, take it back

local kit = require("kit")
local plugin = require("plugin")

local project = kit.project()
local lines = {}
for at = 1, 40 do
  lines[at] = "line " .. at
end
kit.write(project.main, lines)
local env = plugin.script(project, [==[
[[answer]]
step = [{ tool = "Read", input = { file_path = "{{cwd}}/main.rs" } }]

[[answer]]
step = [
  { tool = "Edit", input = { file_path = "{{cwd}}/main.rs", old_string = "line 5\n", new_string = "line FIVE\n" } },
  { tool = "Edit", input = { file_path = "{{cwd}}/main.rs", old_string = "line 20\n", new_string = "twenty a\ntwenty b\ntwenty c\n" } },
  { tool = "Edit", input = { file_path = "{{cwd}}/main.rs", old_string = "line 30\n", new_string = "" } },
]

[[answer]]
forever = true
step = [{ text = "Done." }]
]==])
local bowline = plugin.setup(project, { env = env, session = { mode = "acceptEdits" } })
local buffer = plugin.open(project.main)
bowline.ask("change it")
plugin.shows("Done.")
plugin.idle()
local hunks = require("bowline.hunks")
kit.wait(function()
  return #hunks.of(buffer) == 3
end, "three changes")

-- Jumping, and round to the first again.
local function row()
  return vim.api.nvim_win_get_cursor(0)[1]
end
vim.api.nvim_win_set_cursor(0, { 1, 0 })
local seen = {}
for _ = 1, 4 do
  plugin.press("]v")
  table.insert(seen, row())
end
kit.check(vim.deep_equal(seen, { 5, 20, 32, 5 }), "next", seen)
plugin.press("[v")
kit.check(row() == 32, "previous, round to the last", row())

-- What was there before is shown above what is there now.
local space = vim.api.nvim_create_namespace("bowline.hunks")
local marks = vim.api.nvim_buf_get_extmarks(buffer, space, 0, -1, { details = true })
kit.check(marks[1][4].virt_lines[1][1][1] == "line 5", "the old text", marks[1])
kit.check(vim.trim(marks[1][4].sign_text) == "┃", "the sign", marks[1])

-- A line typed above moves all of them along.
vim.api.nvim_buf_set_lines(buffer, 0, 0, true, { "typed by the user" })
vim.api.nvim_win_set_cursor(0, { 6, 0 })
plugin.press("<leader>vr")
kit.wait(function()
  return kit.lines(buffer)[6] == "line 5" and #hunks.of(buffer) == 2
end, "one is rejected, the user's line stays")
kit.check(kit.lines(buffer)[1] == "typed by the user", "the user's line", kit.lines(buffer)[1])

-- Beside it: the text without what is still pending, after one was rejected.
local before = vim.deepcopy(kit.lines(buffer))
for at, line in ipairs(before) do
  if line == "twenty a" then
    before[at] = "line 20"
    table.remove(before, at + 2)
    table.remove(before, at + 1)
    break
  end
end
table.insert(before, 31, "line 30")
plugin.press("<leader>vd")
local function compared()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    local other = vim.api.nvim_win_get_buf(window)
    if vim.api.nvim_buf_get_name(other):find("before/", 1, true) then
      return other
    end
  end
end
kit.wait(function()
  return compared() ~= nil
end, "the comparison is shown")
kit.check(vim.deep_equal(kit.lines(compared()), before), "without what is pending", kit.lines(compared()))
vim.api.nvim_win_close(vim.fn.bufwinid(compared()), true)
vim.cmd("diffoff!")

-- Four lines at once above all of them, and the key before anybody paused: the change at the caret goes.
vim.api.nvim_buf_set_lines(buffer, 0, 0, true, { "a", "b", "c", "d" })
vim.api.nvim_win_set_cursor(0, { 37, 0 })
kit.check(kit.lines(buffer)[36] == "line 29" and kit.lines(buffer)[37] == "line 31", "above the removed line", kit.lines(buffer))
plugin.press("<leader>vr")
kit.wait(function()
  return kit.lines(buffer)[37] == "line 30" and #hunks.of(buffer) == 1
end, "the removed line is back")
local twenty = hunks.of(buffer)[1]
kit.check(kit.lines(buffer)[twenty.first + 1] == "twenty a", "the mark moved along", twenty.first)
vim.cmd("Bowline undo")
kit.wait(function()
  return #hunks.of(buffer) == 2
end, "and away again")
vim.api.nvim_buf_set_lines(buffer, 0, 4, true, {})

-- One line of three, by a motion.
vim.api.nvim_win_set_cursor(0, { 22, 0 })
vim.keymap.set("n", "gr", function()
  return hunks.operator("reject")
end, { expr = true })
plugin.press("gr_")
kit.wait(function()
  local now = kit.lines(buffer)
  return now[21] == "twenty a" and now[22] == "twenty c"
end, "only the middle line of the change is gone: " .. vim.inspect(vim.list_slice(kit.lines(buffer), 18, 26)))

-- The rest at once, and back again.
vim.cmd("Bowline! reject")
kit.wait(function()
  return hunks.count() == 0 and kit.lines(buffer)[21] == "line 20"
end, "all of the file is rejected")
kit.check(#kit.lines(buffer) == 41, "as it was, with the user's line", kit.lines(buffer))
vim.cmd("Bowline undo")
kit.wait(function()
  return #hunks.of(buffer) >= 2 and kit.lines(buffer)[21] == "twenty a"
end, "the decision is taken back")
plugin.leave()
