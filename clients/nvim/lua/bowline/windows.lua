--- Which window is which: the user's own, and ours, which are never taken for theirs.

local M = {}

--- Marks a window as one of ours.
function M.mark(window, what)
  vim.w[window].bowline = what
end

local function is_users(window)
  return vim.api.nvim_win_is_valid(window)
    and vim.api.nvim_win_get_config(window).relative == ""
    and not vim.w[window].bowline
    and not vim.wo[window].diff
end

--- The window the user edits in, of this tab page; the last one they were in where there are several.
---@return integer?
function M.code()
  local current = vim.api.nvim_get_current_win()
  if is_users(current) then
    return current
  end
  local before = vim.fn.win_getid(vim.fn.winnr("#"))
  if before ~= 0 and is_users(before) then
    return before
  end
  return vim.iter(vim.api.nvim_tabpage_list_wins(0)):find(is_users)
end

--- A window for code that the user is not in, if there is one.
---@return integer?
function M.beside()
  local current = vim.api.nvim_get_current_win()
  return vim.iter(vim.api.nvim_tabpage_list_wins(0)):find(function(window)
    return window ~= current and is_users(window)
  end)
end

--- A window of this tab page that shows a buffer.
---@return integer?
function M.showing(buffer)
  return vim.iter(vim.api.nvim_tabpage_list_wins(0)):find(function(window)
    return vim.api.nvim_win_get_buf(window) == buffer
  end)
end

--- Shows a buffer where code is shown, and goes there.
function M.edit(buffer)
  local window = M.showing(buffer) or M.code()
  if not window then
    window = vim.api.nvim_open_win(buffer, true, { split = "left", win = vim.api.nvim_get_current_win() })
  end
  vim.api.nvim_set_current_win(window)
  if vim.api.nvim_win_get_buf(window) ~= buffer then
    vim.cmd("normal! m'")
    vim.api.nvim_win_set_buf(window, buffer)
  end
  vim.bo[buffer].buflisted = true
  return window
end

return M
