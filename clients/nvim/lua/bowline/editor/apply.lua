--- `agent/editor/apply`: a change of the agent, all or nothing, as a step of undo of its own.

local client = require("bowline.client")

local M = {}

--- Which group the last change of a buffer belonged to, and what the buffer was then.
---@type table<integer, { group: string, tick: integer }>
local last = {}

--- Why an edit does not fit the buffers as they are.
local function misfit(changes)
  for _, change in ipairs(changes) do
    if change.textDocument then
      local buffer = vim.uri_to_bufnr(change.textDocument.uri)
      local version = change.textDocument.version
      if type(version) == "number" then
        if not client.is_attached(buffer) then
          return "The document is not open."
        end
        if client.version(buffer) ~= version then
          return "The text has changed."
        end
      end
      if vim.api.nvim_buf_is_loaded(buffer) and not vim.bo[buffer].modifiable then
        return "The buffer is not modifiable."
      end
    end
  end
end

local function edit(change, group, encoding)
  local buffer = vim.uri_to_bufnr(change.textDocument.uri)
  vim.fn.bufload(buffer)
  local before = last[buffer]
  local joins = before and before.group == group and before.tick == vim.api.nvim_buf_get_changedtick(buffer)
  if joins then
    vim.api.nvim_buf_call(buffer, function()
      pcall(vim.cmd.undojoin)
    end)
  else
    -- Setting the option ends the step of undo that the user is in.
    vim.bo[buffer].undolevels = vim.bo[buffer].undolevels
  end
  vim.lsp.util.apply_text_edits(change.edits, buffer, encoding)
  if not joins then
    vim.bo[buffer].undolevels = vim.bo[buffer].undolevels
  end
  last[buffer] = { group = group, tick = vim.api.nvim_buf_get_changedtick(buffer) }
  vim.bo[buffer].buflisted = true
  return buffer
end

---@param params bowline.EditorApplyParams
---@return bowline.EditorApplyResult
function M.on_request(params)
  local changes = params.edit.documentChanges
  local reason = misfit(changes)
  if reason then
    return { applied = false, reason = reason }
  end
  local encoding = client.encoding()
  local versions = vim.empty_dict()
  for _, change in ipairs(changes) do
    if change.textDocument then
      local buffer = edit(change, params.undoGroup, encoding)
      versions[change.textDocument.uri] = client.version(buffer)
    else
      vim.lsp.util.apply_workspace_edit({ documentChanges = { change } }, encoding)
    end
  end
  return { applied = true, versions = versions }
end

return M
