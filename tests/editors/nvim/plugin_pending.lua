--- Plugin: a question that another client was asked is shown when its session is joined, and answered

local kit = require("kit")
local plugin = require("plugin")

local project = kit.project()
local env = plugin.script(project, [==[
[[answer]]
when = "which one"
step = [{ tool = "AskUserQuestion", input = { questions = [
  { question = "Which colour shall it be?", header = "Colour", options = [
    { label = "Green", description = "like the sea" }, { label = "Red", description = "like a buoy" } ] },
] } }]

[[answer]]
when = "Red"
step = [{ tool = "Write", input = { file_path = "{{cwd}}/buoy.txt", content = "red\n" } }]

[[answer]]
forever = true
step = [{ text = "It is done." }]
]==])

-- Another editor, whose user is asked and does not answer.
local asked, resolved = {}, {}
local function wait_for_ever(_, params)
  table.insert(asked, params)
  coroutine.yield()
end
local capabilities = vim.lsp.protocol.make_client_capabilities()
capabilities.experimental = { agent = { version = 1, permission = true, ask = true } }
local first = kit.start(project, {
  name = "another",
  cmd_env = env,
  capabilities = capabilities,
  handlers = {
    ["agent/ask"] = wait_for_ever,
    ["agent/permission/request"] = wait_for_ever,
    ["agent/request/resolved"] = function(_, params)
      table.insert(resolved, params.requestId)
    end,
  },
})
local id = kit.request(first, "agent/session/new", { cwd = project.folder }).sessionId
kit.request(first, "agent/session/prompt", {
  sessionId = id,
  content = { { type = "text", text = "which one" } },
})
kit.wait(function()
  return #asked == 1
end, "the other client is asked")

-- The plugin joins the same server, and the session with what waits there.
plugin.setup(project, { cmd = { vim.env.BOWLINE_BIN, "serve", "--attach" }, env = env })
plugin.async_picker(function(items, options)
  local is_question = options.prompt:find("colour", 1, true)
  return plugin.take(is_question and "Red" or "Allow once")(items, options)
end)
require("bowline.client").start(function()
  require("bowline.session").attach(id)
end)
kit.wait(function()
  return vim.fn.filereadable(project.folder .. "/buoy.txt") == 1
end, function()
  return "both are answered here; the chat:\n" .. plugin.chat() .. vim.inspect(plugin.notices)
end)
plugin.shows("It is done.")
kit.check(vim.tbl_contains(resolved, asked[1].requestId), "the other client is told", resolved)
plugin.leave()
kit.stop(first)
