--- Plugin: permission with both kinds of pickers, deny with words, a changed input, and never into what is typed

local kit = require("kit")
local plugin = require("plugin")

local project = kit.project()
local bowline = plugin.setup(project)
local buffer = plugin.open(project.main)
local permission = require("bowline.permission")

-- A picker that calls back before it returns.
plugin.sync_picker(plugin.take("Allow once"))
bowline.ask('replace "hello" with "sync" in main.rs')
plugin.shows("Replaced `hello` with `sync`")
plugin.idle()
kit.check(kit.lines(buffer)[2] == '    println!("sync");', "allowed by a picker that answers at once")

-- Denied with words: the model reads them.
plugin.async_picker(plugin.take("say what to do instead"))
vim.ui.input = function(options, done)
  kit.check(options.prompt:find("instead", 1, true), "what is asked for", options)
  done("leave main alone")
end
bowline.ask('replace "sync" with "no" in main.rs')
plugin.shows("leave main alone")
plugin.idle()
kit.check(kit.lines(buffer)[2] == '    println!("sync");', "nothing changed")

-- A command, changed before it runs. What the sandbox keeps in is not asked about, so a rule says so.
local ruled = false
require("bowline.client").request("agent/permission/rules", {
  op = "add",
  rule = "Bash(touch *)",
  behavior = "ask",
  scope = "session",
  sessionId = require("bowline.session").now.id,
}, function(_, problem)
  ruled = problem == nil
end)
kit.wait(function()
  return ruled
end, "the rule is there")
plugin.async_picker(plugin.take("Change the input"))
vim.ui.input = function(options, done)
  kit.check(options.default == "touch one.txt", "the command is there to be changed", options)
  done("touch two.txt")
end
bowline.ask("run touch one.txt")
kit.wait(function()
  return vim.fn.filereadable(project.folder .. "/two.txt") == 1
end, function()
  return "the changed command ran:\n" .. plugin.chat()
end)
plugin.idle()

-- Any other input, as JSON in a buffer.
plugin.async_picker(plugin.take("Change the input"))
bowline.ask('replace "sync" with "json" in main.rs')
kit.wait(function()
  return vim.bo.buftype == "acwrite"
end, "the input is opened")
local lines = kit.lines(0)
for at, line in ipairs(lines) do
  lines[at] = line:gsub("json", "edited")
end
vim.api.nvim_buf_set_lines(0, 0, -1, true, lines)
vim.cmd.write()
kit.wait(function()
  return kit.lines(buffer)[2] == '    println!("edited");'
end, "the changed input was used")
plugin.idle()

-- While the user types nothing pops up; back in normal mode it does.
local popped = 0
plugin.async_picker(function(items, options)
  popped = popped + 1
  return plugin.take("Allow once")(items, options)
end)
local mode = "i"
local real = vim.api.nvim_get_mode
vim.api.nvim_get_mode = function()
  return { mode = mode, blocking = false }
end
bowline.ask('replace "edited" with "typed" in main.rs', { show = false })
kit.wait(function()
  return #permission.waiting == 1
end, "the question is there")
kit.check(popped == 0, "but does not pop up")
kit.check(plugin.noticed("back in normal mode"), "it is told", plugin.notices)
kit.check(bowline.statusline():find("asks", 1, true), "the statusline says so", bowline.statusline())
mode = "n"
vim.api.nvim_exec_autocmds("ModeChanged", { pattern = "i:n" })
plugin.shows("Replaced `edited` with `typed`")
plugin.idle()
kit.check(popped == 1, "it popped up once", popped)
vim.api.nvim_get_mode = real

-- Put off, then answered by a command.
plugin.async_picker(plugin.take("Decide later"))
bowline.ask('replace "typed" with "later" in main.rs', { show = false })
kit.wait(function()
  return permission.waiting[1] ~= nil and permission.waiting[1].paused
end, "put off")
vim.cmd("Bowline permission allow")
plugin.shows("Replaced `typed` with `later`")
plugin.idle()
kit.check(#permission.waiting == 0, "nothing waits")

-- Closing the picker denies.
plugin.async_picker(function() end)
bowline.ask('replace "later" with "closed" in main.rs')
plugin.shows("— Deny")
plugin.idle()
kit.check(kit.lines(buffer)[2] == '    println!("later");', "closing is a no", kit.lines(buffer))
plugin.leave()
