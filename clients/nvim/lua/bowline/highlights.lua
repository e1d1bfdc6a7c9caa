--- Our names for colours; a colour scheme, or the user, may give them others.

local M = {}

local LINKS = {
  BowlineUser = "Title",
  BowlineAttached = "Comment",
  BowlineThought = "Comment",
  BowlineTool = "Function",
  BowlineDetail = "Comment",
  BowlineRunning = "DiagnosticInfo",
  BowlineWaiting = "DiagnosticWarn",
  BowlineDone = "DiagnosticOk",
  BowlineFailed = "DiagnosticError",
  BowlineNotice = "DiagnosticHint",
  BowlineWarning = "DiagnosticWarn",
  BowlineError = "DiagnosticError",
  BowlineTodo = "Identifier",
  BowlineTodoDone = "Comment",
  BowlineAdded = "DiffAdd",
  BowlineRemoved = "DiffDelete",
  BowlineHunkSign = "DiagnosticInfo",
  BowlineHunkAdded = "DiffAdd",
  BowlineHunkRemoved = "DiffDelete",
  BowlineHint = "Comment",
  BowlinePreview = "DiffAdd",
  BowlineReplaced = "DiffDelete",
  BowlineSuggestion = "Comment",
}

function M.define()
  for name, link in pairs(LINKS) do
    vim.api.nvim_set_hl(0, name, { link = link, default = true })
  end
end

return M
