--- What the server may send: the table, and a file for each.

local M = {}

--- Each answers through its own room, which is loaded when it is first needed.
local ROOMS = {
  ["agent/event"] = { "bowline.session", "on_event" },
  ["agent/request/resolved"] = { "bowline.permission", "on_resolved" },
  ["agent/edit/delta"] = { "bowline.inline", "on_delta" },
  ["agent/permission/request"] = { "bowline.permission", "on_request" },
  ["agent/ask"] = { "bowline.questions", "on_request" },
  ["agent/diff/show"] = { "bowline.diff", "on_show" },
  ["agent/editor/apply"] = { "bowline.editor.apply", "on_request" },
  ["agent/editor/save"] = { "bowline.editor.save", "on_request" },
  ["agent/editor/reveal"] = { "bowline.editor.reveal", "on_request" },
  ["agent/editor/text"] = { "bowline.editor.text", "on_request" },
  ["agent/editor/languageServer"] = { "bowline.editor.language_server", "on_request" },
}

---@return table<string, lsp.Handler>
function M.table()
  local handlers = {}
  for method, room in pairs(ROOMS) do
    handlers[method] = function(_, params, context)
      local result = require(room[1])[room[2]](params, context)
      -- Nothing is an answer too, and Neovim wants it spelled out.
      if result == nil then
        return vim.NIL
      end
      return result
    end
  end
  return handlers
end

return M
