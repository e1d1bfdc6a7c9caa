--- `agent/editor/reveal`: shows a place, without taking the caret away from whoever types.

local client = require("bowline.client")
local position = require("bowline.position")
local windows = require("bowline.windows")

local M = {}

local function go(window, buffer, range)
  if not range then
    return
  end
  local row, byte = position.place(buffer, range.start, client.encoding())
  vim.api.nvim_win_set_cursor(window, { row + 1, byte })
  vim.api.nvim_win_call(window, function()
    vim.cmd("silent! normal! zvzz")
  end)
end

---@param params bowline.EditorRevealParams
function M.on_request(params)
  local buffer = vim.uri_to_bufnr(params.uri)
  -- Somebody may be asked about a swap file; that is no reason to stop.
  pcall(vim.fn.bufload, buffer)
  vim.bo[buffer].buflisted = true
  if not params.preserveFocus then
    go(windows.edit(buffer), buffer, params.range)
    return {}
  end
  -- Where the user is, nothing moves; another window may show the place.
  local current = vim.api.nvim_get_current_win()
  local window = windows.showing(buffer) or windows.beside()
  if window and window ~= current then
    if vim.api.nvim_win_get_buf(window) ~= buffer then
      vim.api.nvim_win_set_buf(window, buffer)
    end
    go(window, buffer, params.range)
  end
  return {}
end

return M
