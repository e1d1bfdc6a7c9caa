--- A client that refuses an edit made for an older version gets it again, moved over what was typed

local kit = require("kit")
local agent = require("agent")

local project = kit.project()
local client, buffer, seen
client, buffer, seen = agent.start(project, function(params)
  -- The user types between the answer and the edit: the change is on its way when the edit arrives.
  vim.api.nvim_buf_set_lines(buffer, 0, 0, true, { "// typed just now" })
  return { optionId = params.options[1].id }
end)
local session = kit.request(client, "agent/session/new", { cwd = project.folder }).sessionId
agent.prompt(client, session, 'replace "hello" with "goodbye" in main.rs')
local ended = agent.event(seen, agent.of_type("turn.ended"), "the end")
kit.check(ended.stopReason == "end_turn" and ended.error == nil, "it ended well", ended)
kit.check(
  vim.deep_equal(kit.lines(buffer), { "// typed just now", "fn main() {", '    println!("goodbye");', "}" }),
  "both are there",
  kit.lines(buffer)
)
kit.stop(client)
