--- `agent/editor/save`: writes buffers as `:write` does, with whatever hangs on that.

local M = {}

local function save(buffer)
  if not vim.bo[buffer].modified then
    return true
  end
  return pcall(vim.api.nvim_buf_call, buffer, function()
    vim.cmd("silent lockmarks keepalt update")
  end)
end

---@param params bowline.EditorSaveParams
---@return bowline.EditorSaveResult
function M.on_request(params)
  local result = { saved = {}, failed = {} }
  for _, uri in ipairs(params.uris) do
    local buffer = vim.fn.bufnr(vim.uri_to_fname(uri))
    if buffer < 0 or not vim.api.nvim_buf_is_loaded(buffer) then
      table.insert(result.failed, { uri = uri, reason = "The document is not open." })
    else
      local ok, problem = save(buffer)
      if ok and not vim.bo[buffer].modified then
        table.insert(result.saved, uri)
      else
        local reason = ok and "The buffer is still modified." or tostring(problem)
        table.insert(result.failed, { uri = uri, reason = reason })
      end
    end
  end
  return result
end

return M
