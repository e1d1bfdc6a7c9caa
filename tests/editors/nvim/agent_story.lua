--- A client with the agent methods: events in order, the question with its diff, the edit, and attaching later

local kit = require("kit")
local agent = require("agent")

local project = kit.project()
local client, buffer, seen = agent.start(project, function(params)
  return { optionId = params.options[1].id }
end)
local offer = client.server_capabilities.experimental.agent
kit.check(offer.version == 1 and offer.models[1].id == "rehearsal", "what the server offers", offer)

kit.type(buffer, 1, '    println!("hello, unsaved");')
local session = kit.request(client, "agent/session/new", { cwd = project.folder }).sessionId
local accepted = agent.prompt(client, session, 'read main.rs then replace "hello" with "goodbye" in main.rs')
kit.check(accepted.disposition == "started", "the prompt is accepted at once", accepted)
local ended = agent.event(seen, agent.of_type("turn.ended"), "the end of the turn")

-- The question carries the change and the version it was made for.
kit.check(#seen.asked == 1, "one question", seen.asked)
local subject = seen.asked[1].subject
kit.check(subject.kind == "edit" and subject.uri == vim.uri_from_fname(project.main), "about the file", subject)
kit.check(subject.oldText:find("hello, unsaved", 1, true), "the old text is the unsaved one", subject)
kit.check(subject.newText:find("goodbye, unsaved", 1, true), "the new text", subject)
kit.check(type(subject.version) == "number", "the version", subject)

-- The buffer has it, the disk has not.
kit.check(#seen.applied == 1, "one edit", seen.applied)
kit.check(kit.lines(buffer)[2] == '    println!("goodbye, unsaved");', "the buffer", kit.lines(buffer))
kit.check(not kit.read(project.main):find("unsaved", 1, true), "the disk is untouched")

-- Events: numbered without a gap, the calls in their order, and one end.
for at, event in ipairs(seen.events) do
  kit.check(event.sessionId == session, "of this session", event)
  kit.check(at == 1 or event.seq == seen.events[at - 1].seq + 1, "without a gap", event)
end
kit.check(ended.stopReason == "end_turn" and ended.error == nil, "it ended well", ended)
local tools = vim.iter(seen.events):filter(agent.of_type("tool.started")):map(function(event)
  return event.name
end):totable()
kit.check(tools[1] == "Read" and tools[#tools] == "Edit", "Read, then Edit", tools)
local text = vim.iter(seen.events):filter(agent.of_type("message.delta")):map(function(event)
  return event.text
end):join("")
kit.check(text:find("Replaced", 1, true), "the answer streams", text)
kit.stop(client)

-- Another server process, another client: the conversation is there.
vim.cmd("bwipeout!")
local later = agent.start(project, function() end)
local attached = kit.request(later, "agent/session/attach", { sessionId = session })
local shown = vim.inspect(attached.snapshot.messages)
kit.check(shown:find("replace", 1, true) and shown:find("Replaced", 1, true), "the snapshot tells it", shown)
kit.stop(later)
