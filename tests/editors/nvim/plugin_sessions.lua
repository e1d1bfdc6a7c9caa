--- Plugin: model and mode, rename, rewind and back, another session, resume, fork, and a server that dies

local kit = require("kit")
local plugin = require("plugin")

local project = kit.project()
local bowline = plugin.setup(project)
local buffer = plugin.open(project.main)
local session = require("bowline.session")

bowline.ask("say the first thing")
plugin.shows("the first thing")
plugin.idle()
bowline.ask('replace "hello" with "changed" in main.rs')
plugin.shows("Replaced `hello` with `changed`")
plugin.idle()
local first = session.now.id

-- Settings, by name and by picker.
vim.cmd("Bowline mode acceptEdits")
kit.wait(function()
  return session.now.config.mode == "acceptEdits"
end, "the mode by name")
plugin.async_picker(plugin.take("default"))
vim.cmd("Bowline mode")
kit.wait(function()
  return session.now.config.mode == "default"
end, "the mode by picker")
local list = vim.fn.getcompletion("Bowline mode pl", "cmdline")
kit.check(vim.deep_equal(list, { "plan" }), "completion of a command's words", list)
list = vim.fn.getcompletion("Bowline re", "cmdline")
kit.check(vim.tbl_contains(list, "rewind") and vim.tbl_contains(list, "reject"), "completion of commands", list)
vim.cmd("BowlineRename Two things")
kit.wait(function()
  return session.now.title == "Two things"
end, "renamed")

-- Back to before the change: the conversation and the file; and forward again.
plugin.async_picker(function(items, options)
  for _, words in ipairs({ "replace", "The conversation and the files", "Go back" }) do
    local ok, item, at = pcall(plugin.take(words), items, options)
    if ok then
      return item, at
    end
  end
end)
vim.cmd("Bowline rewind")
kit.wait(function()
  return vim.deep_equal(kit.lines(buffer), kit.MAIN) and not plugin.chat():find("changed", 1, true)
end, "the file and the conversation are back:\n" .. plugin.chat())
kit.check(plugin.chat():find("the first thing", 1, true), "what was before is there", plugin.chat())
vim.cmd("Bowline undo")
kit.wait(function()
  return kit.lines(buffer)[2] == '    println!("changed");' and plugin.chat():find("Replaced", 1, true) ~= nil
end, "the rewind is taken back")

-- Another session, and back to the first.
vim.cmd("Bowline new")
kit.wait(function()
  return session.now.id ~= first and session.now.connected
end, "another session")
kit.check(not plugin.chat():find("first thing", 1, true), "an empty chat", plugin.chat())
plugin.async_picker(plugin.take("Two things"))
vim.cmd("Bowline resume")
kit.wait(function()
  return session.now.id == first
end, "the first session again")
plugin.shows("the first thing")
plugin.shows("● Edit main.rs")
vim.cmd("Bowline fork")
kit.wait(function()
  return session.now.connected and session.now.id ~= first and plugin.chat():find("the first thing", 1, true) ~= nil
end, "a copy")

-- The server is killed; the next prompt goes on in the same session.
local copy = session.now.id
bowline.ask("say something in the copy")
plugin.shows("something in the copy")
plugin.idle()
local pid = vim.trim(vim.fn.system({ "pgrep", "-P", tostring(vim.uv.os_getpid()), "-f", "bowline.* serve" }))
vim.fn.system({ "kill", "-9", (vim.split(pid, "\n")[1]) })
plugin.shows("The server has stopped.")
bowline.ask("say it lives")
plugin.shows("it lives")
plugin.idle()
kit.check(session.now.id == copy, "the same session")
plugin.shows("something in the copy")
plugin.leave()
