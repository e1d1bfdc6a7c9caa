--- Folds of the conversation: thoughts and what tools gave, closed until somebody wants to see them.

local M = {}

--- For 'foldexpr'.
function M.level()
  local view = require("bowline.chat").view
  return view and view.levels[vim.v.lnum] or "0"
end

--- For 'foldtext': the first line, and how much there is.
function M.text()
  local first = vim.fn.getline(vim.v.foldstart)
  local count = vim.v.foldend - vim.v.foldstart + 1
  local indent = first:match("^%s*")
  if vim.trim(first) == "Thinking" then
    return ("%s▸ Thought, %d lines"):format(indent, count - 1)
  end
  local shown = vim.fn.strcharpart(vim.trim(first), 0, 48)
  if count == 1 then
    return ("%s▸ %s"):format(indent, shown)
  end
  return ("%s▸ %s … %d lines"):format(indent, shown, count)
end

return M
