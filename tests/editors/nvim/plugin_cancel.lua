--- Plugin: cancel stops a running command, and the session goes on

local kit = require("kit")
local plugin = require("plugin")

local project = kit.project()
local bowline = plugin.setup(project)
plugin.open(project.main)
local function running()
  return vim.fn.system({ "pgrep", "-f", "sleep 35.7" }) ~= ""
end
bowline.ask("run sleep 35.7")
kit.wait(running, "the command runs")
kit.check(bowline.statusline():find("works", 1, true), "the statusline says so", bowline.statusline())
vim.cmd("BowlineCancel")
plugin.shows("Stopped.")
plugin.idle()
kit.wait(function()
  return not running()
end, "the command's process is gone")
bowline.ask("say still here")
plugin.shows("still here")
plugin.idle()
kit.check(bowline.statusline():find("ready", 1, true), "ready again", bowline.statusline())
plugin.leave()
