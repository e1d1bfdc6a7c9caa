--- A bare client: the stop button of the progress, and the command, both stop a running turn

local kit = require("kit")

local project = kit.project()
local client = kit.start(project, {
  handlers = {
    ["window/showMessageRequest"] = function(_, params)
      return params.actions[1]
    end,
  },
})

local function running()
  return vim.fn.system({ "pgrep", "-f", "sleep 31.7" }) ~= ""
end

local function ask_and_stop(stop)
  kit.messages, kit.progress = {}, {}
  kit.ask(client, "run sleep 31.7")
  kit.wait(running, "the command runs")
  kit.wait(function()
    return #kit.progress > 0
  end, "progress is shown")
  kit.check(kit.progress[1].value.kind == "begin", "it begins", kit.progress)
  kit.check(kit.progress[1].value.cancellable, "it can be stopped", kit.progress)
  stop(kit.progress[1].token)
  kit.wait(kit.said("Stopped."), "the end is told")
  kit.wait(function()
    return not running()
  end, "the command's process is gone")
  kit.check(kit.progress[#kit.progress].value.kind == "end", "the progress ends", kit.progress)
end

ask_and_stop(function(token)
  kit.notify(client, "window/workDoneProgress/cancel", { token = token })
end)
ask_and_stop(function()
  kit.request(client, "workspace/executeCommand", { command = "bowline.cancel" })
end)

kit.ask(client, "say still here")
kit.wait(kit.said("still here"), "the next prompt is answered")
kit.stop(client)
