--- Plugin: checkhealth, help with its tags, setup with a slip, a missing program, and no setup at all

local kit = require("kit")
local plugin = require("plugin")

local project = kit.project()
local bowline = plugin.setup(project, { chat = { colour = "blue" } })
kit.check(plugin.noticed("chat.colour"), "a slip is told", plugin.notices)
plugin.open(project.main)
vim.cmd("checkhealth bowline")
local report = table.concat(kit.lines(0), "\n")
for _, words in ipairs({ "chat.colour", "running for", "rehearsal", "never shared: .env", "not shared" }) do
  kit.check(report:find(words, 1, true), "the report has " .. words, report)
end
vim.cmd("bwipeout")
plugin.leave()

-- Every command has a tag, and every tag is written once.
local doc = kit.read(plugin.path .. "/doc/bowline.txt")
for name in pairs(require("bowline.commands").table) do
  local tag = ("*:Bowline%s*"):format(name:sub(1, 1):upper() .. name:sub(2))
  kit.check(doc:find(tag, 1, true), "the help has " .. tag)
end
local docs = project.base .. "/doc"
vim.fn.mkdir(docs, "p")
vim.uv.fs_copyfile(plugin.path .. "/doc/bowline.txt", docs .. "/bowline.txt")
vim.cmd.helptags(docs)
kit.check(kit.read(docs .. "/tags"):find("bowline.ask()", 1, true), "helptags takes it")

-- A program that is not there.
plugin.notices = {}
require("bowline.config").options.cmd = { "no-such-bowline", "serve" }
bowline.ask("anybody?")
kit.wait(function()
  return plugin.noticed("no-such-bowline")
end, "it is told what to do")
