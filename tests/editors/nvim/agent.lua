--- A client that speaks the agent methods, as small as it can be written in Neovim.

local kit = require("kit")

local M = {}

--- Starts one; `answer(params)` decides about questions. Gives the client, the buffer and what came.
function M.start(project, answer)
  local seen = { events = {}, asked = {}, applied = {}, resolved = {} }
  local handlers = {}
  handlers["agent/event"] = function(_, event)
    table.insert(seen.events, event)
  end
  handlers["agent/request/resolved"] = function(_, params)
    table.insert(seen.resolved, params)
  end
  handlers["agent/permission/request"] = function(_, params)
    table.insert(seen.asked, params)
    return answer(params)
  end
  handlers["agent/editor/apply"] = function(_, params, context)
    table.insert(seen.applied, params)
    local client = assert(vim.lsp.get_client_by_id(context.client_id))
    for _, change in ipairs(params.edit.documentChanges) do
      local buffer = vim.uri_to_bufnr(change.textDocument.uri)
      if vim.lsp.util.buf_versions[buffer] ~= change.textDocument.version then
        return { applied = false, reason = "The text has changed." }
      end
    end
    vim.lsp.util.apply_workspace_edit(params.edit, client.offset_encoding)
    return { applied = true }
  end
  local capabilities = vim.lsp.protocol.make_client_capabilities()
  capabilities.experimental = {
    agent = { version = 1, permission = true, editor = { apply = true } },
  }
  local client, buffer = kit.start(project, { handlers = handlers, capabilities = capabilities })
  return client, buffer, seen
end

--- Waits for the event that fits and gives it.
function M.event(seen, fits, what)
  local found
  kit.wait(function()
    found = vim.iter(seen.events):find(fits)
    return found ~= nil
  end, what .. " among " .. vim.inspect(vim.iter(seen.events):map(function(e)
    return e.type
  end):totable()))
  return found
end

function M.of_type(type)
  return function(event)
    return event.type == type
  end
end

function M.prompt(client, session, text)
  return kit.request(client, "agent/session/prompt", {
    sessionId = session,
    content = { { type = "text", text = text } },
  })
end

return M
