--- Plugin: the proposed change in a split until it is answered, and the agent followed where the user is not

local kit = require("kit")
local plugin = require("plugin")

local project = kit.project()
kit.write(project.folder .. "/other.rs", { "fn other() {", "    first();", "    second();", "}" })
local bowline = plugin.setup(project)
local buffer = plugin.open(project.main)
local permission = require("bowline.permission")

local function diffs()
  return vim.iter(vim.api.nvim_list_wins()):filter(function(window)
    return vim.w[window].bowline == "diff"
  end):totable()
end

-- The server shows the change before it asks; the caret does not move.
plugin.async_picker(plugin.take("Decide later"))
local window = vim.api.nvim_get_current_win()
bowline.ask('replace "hello" with "shown" in main.rs', { show = false })
kit.wait(function()
  return permission.waiting[1] ~= nil and permission.waiting[1].paused
end, "the question")
kit.check(#diffs() == 2, "the text before and after", diffs())
kit.check(vim.api.nvim_get_current_win() == window, "the caret is where it was")
local after = kit.lines(vim.api.nvim_win_get_buf(diffs()[2]))
kit.check(after[2] == '    println!("shown");', "the proposal", after)
vim.cmd("Bowline permission deny")
plugin.idle()
kit.check(#diffs() == 0, "the diff goes with the question", diffs())
kit.check(kit.lines(buffer)[2] == '    println!("hello");', "nothing changed")

-- Nobody is followed unasked.
local shown = function()
  return vim.iter(vim.api.nvim_list_wins()):map(function(each)
    return vim.fs.basename(vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(each)))
  end):totable()
end
bowline.ask("read other.rs", { show = false })
plugin.shows("fn other()")
plugin.idle()
kit.check(not vim.tbl_contains(shown(), "other.rs"), "not followed", shown())

-- Switched on, the other window goes where the agent is; this one stays.
vim.cmd.vsplit()
local mine, other = vim.api.nvim_get_current_win(), vim.fn.win_getid(vim.fn.winnr("#"))
kit.check(mine ~= other, "two windows")
vim.cmd("BowlineFollow on")
kit.check(plugin.noticed("is followed"), "it is told", plugin.notices)
plugin.async_picker(plugin.take("Allow once"))
bowline.ask('replace "second" with "third" in other.rs', { show = false })
plugin.shows("Replaced `second` with `third`")
plugin.idle()
kit.wait(function()
  return vim.fs.basename(vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(other))) == "other.rs"
end, function()
  return "the other window follows: " .. vim.inspect(shown())
end)
kit.wait(function()
  return vim.api.nvim_win_get_cursor(other)[1] == 3
end, function()
  return "the change is in sight: " .. vim.inspect(vim.api.nvim_win_get_cursor(other))
end)
kit.check(vim.api.nvim_get_current_win() == mine, "the caret is where it was")
kit.check(vim.api.nvim_win_get_buf(mine) == buffer, "and so is its text")
vim.cmd("BowlineFollow off")
kit.check(plugin.noticed("not followed"), "off again", plugin.notices)
plugin.leave()
