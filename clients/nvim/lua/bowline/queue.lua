--- Prompts that wait for the turn to end: look at them, change them, send one ahead.

local await = require("bowline.await")
local client = require("bowline.client")
local session = require("bowline.session")

local M = {}

local function words(prompt)
  local text = vim.iter(prompt.content):map(function(block)
    return block.type == "text" and block.text or nil
  end):join(" ")
  return text ~= "" and text or "(no text)"
end

local function change(params)
  params.sessionId = session.now.id
  local _, problem = client.call("agent/session/queue", params)
  if problem then
    client.tell(problem)
  end
end

function M.pick()
  if #session.now.queue == 0 then
    return vim.notify("bowline: no prompt waits")
  end
  await.run(function()
    local prompt = await.select(session.now.queue, {
      prompt = "Waiting prompts",
      kind = "bowline.queue",
      format = function(prompt)
        return vim.fn.strcharpart((words(prompt):gsub("\n", " ")), 0, 80)
      end,
    })
    local action = prompt and await.select({ "Change it", "Send it first", "Tell the running turn", "Drop it" }, {
      prompt = words(prompt),
    })
    if action == "Change it" then
      local text = await.input({ prompt = "Prompt: ", default = words(prompt) })
      if text and text ~= "" then
        local content = { { type = "text", text = text } }
        change({ op = "replace", messageId = prompt.messageId, content = content })
      end
    elseif action == "Send it first" then
      change({ op = "move", messageId = prompt.messageId, to = 0 })
    elseif action == "Tell the running turn" then
      change({ op = "remove", messageId = prompt.messageId })
      session.prompt(prompt.content, "steer")
    elseif action == "Drop it" then
      change({ op = "remove", messageId = prompt.messageId })
    end
  end)
end

return M
