--- A client with the agent methods: cancel answers when it has stopped; a denied call ends as denied

local kit = require("kit")
local agent = require("agent")

local project = kit.project()
local choice = "allow"
local client, buffer, seen = agent.start(project, function(params)
  local option = vim.iter(params.options):find(function(option)
    return option.kind == choice
  end)
  return { optionId = option.id }
end)
local session = kit.request(client, "agent/session/new", { cwd = project.folder }).sessionId

agent.prompt(client, session, "run sleep 32.7")
agent.event(seen, function(event)
  return event.type == "tool.updated" and event.status == "running"
end, "the running command")
kit.request(client, "agent/session/cancel", { sessionId = session })
local ended = agent.event(seen, agent.of_type("turn.ended"), "the end")
kit.check(ended.stopReason == "cancelled", "it says so", ended)
kit.wait(function()
  return vim.fn.system({ "pgrep", "-f", "sleep 32.7" }) == ""
end, "the command's process is gone")

choice, seen.events = "deny", {}
-- The handlers above keep the table they were given.
agent.prompt(client, session, 'replace "hello" with "goodbye" in main.rs')
kit.wait(function()
  return #seen.asked > 0 and seen.asked[#seen.asked].subject.kind == "edit"
end, "the question about the edit")
local denied = agent.event(seen, function(event)
  return event.type == "tool.ended" and event.status == "denied"
end, "the denied call")
kit.check(denied.toolCallId == seen.asked[#seen.asked].toolCall.toolCallId, "the call that was asked about", denied)
agent.event(seen, agent.of_type("turn.ended"), "the end of the second turn")
kit.check(vim.deep_equal(kit.lines(buffer), kit.MAIN), "the buffer is as it was", kit.lines(buffer))
kit.stop(client)
