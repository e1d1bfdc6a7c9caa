--- A change, side by side in diff mode, without taking the caret away.

local client = require("bowline.client")
local config = require("bowline.config")
local windows = require("bowline.windows")

local M = {}

--- The windows of each diff that is open.
---@type table<string, integer[]>
local open = {}

local function absent(text)
  return text == nil or text == vim.NIL
end

local function page(name, text, filetype)
  local buffer = vim.api.nvim_create_buf(false, true)
  pcall(vim.api.nvim_buf_set_name, buffer, ("bowline://%d/%s"):format(buffer, name))
  vim.bo[buffer].bufhidden = "wipe"
  local lines = absent(text) and {} or vim.split(text, "\n", { plain = true })
  if #lines > 1 and lines[#lines] == "" then
    lines[#lines] = nil
  end
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  vim.bo[buffer].modifiable = false
  -- Colours only: a filetype would start language servers on a text that is no file.
  if filetype and filetype ~= "" then
    pcall(vim.treesitter.start, buffer, vim.treesitter.language.get_lang(filetype) or filetype)
  end
  return buffer
end

local function dress(window, title)
  windows.mark(window, "diff")
  vim.api.nvim_win_call(window, vim.cmd.diffthis)
  vim.api.nvim_set_option_value("winbar", title, { scope = "local", win = window })
  vim.api.nvim_set_option_value("foldenable", true, { scope = "local", win = window })
end

--- Shows files before and after.
---@param id string Showing the same again replaces it.
---@param title string
---@param files bowline.FileDiff[]
---@param focus boolean
---@return boolean shown
function M.show(id, title, files, focus)
  M.close(id)
  local from = vim.api.nvim_get_current_win()
  local anchor = windows.code()
  local made = {}
  for _, file in ipairs(files) do
    local path = vim.uri_to_fname(file.uri)
    local name = vim.fn.fnamemodify(path, ":~:.")
    local filetype = vim.filetype.match({ filename = path })
    local before = page("before/" .. name, file.oldText, filetype)
    local after = page("after/" .. name, file.newText, filetype)
    local split = { split = "below", win = anchor or -1 }
    local ok, left = pcall(vim.api.nvim_open_win, before, false, split)
    if not ok then
      -- No room; the chat has the change too.
      break
    end
    local right = vim.api.nvim_open_win(after, false, { split = "right", win = left })
    dress(left, "before: " .. name)
    dress(right, ("%s: %s"):format(title:gsub("%%", "%%%%"), name))
    vim.list_extend(made, { left, right })
    for _, buffer in ipairs({ before, after }) do
      vim.keymap.set("n", "q", function()
        M.close(id)
      end, { buffer = buffer, desc = "Bowline: close the diff" })
    end
  end
  open[id] = made
  if focus and made[2] then
    vim.api.nvim_set_current_win(made[2])
  elseif vim.api.nvim_win_is_valid(from) then
    vim.api.nvim_set_current_win(from)
  end
  return #made > 0
end

--- Closes a diff, if it is open.
---@param id string
function M.close(id)
  for _, window in ipairs(open[id] or {}) do
    if vim.api.nvim_win_is_valid(window) then
      pcall(vim.api.nvim_win_close, window, true)
    end
  end
  open[id] = nil
end

--- The change a permission is asked for.
---@param request bowline.PermissionRequestParams
---@param focus boolean
function M.permission(request, focus)
  local files = vim.list_extend({ request.subject }, request.subject.others or {})
  return M.show(request.requestId, "proposed", files, focus)
end

--- `agent/diff/show`.
---@param params bowline.DiffShowParams
---@return bowline.DiffShowResult
function M.on_show(params)
  if not config.options.permission.show_diff then
    return { shown = false }
  end
  -- Its title is the question, which is asked elsewhere.
  return { shown = M.show(params.id, "proposed", params.files, not params.preserveFocus) }
end

--- What the agent changed in a buffer and nobody decided about yet: the text without it, as the server
--- has it, beside the text.
---@param buffer integer
function M.review(buffer)
  local params = { uri = vim.uri_from_bufnr(buffer) }
  client.request("agent/review/diff", params, function(result, problem)
    if problem then
      return client.tell(problem)
    end
    if absent(result.diff) then
      return vim.notify("bowline: no changes of the agent wait here", vim.log.levels.INFO)
    end
    M.beside(buffer, result.diff.oldText)
  end, buffer)
end

--- A buffer beside the text it would be without the pending changes.
---@param buffer integer
---@param before string
function M.beside(buffer, before)
  local id = "review:" .. buffer
  M.close(id)
  local window = windows.edit(buffer)
  local name = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(buffer), ":~:.")
  local old = page("before/" .. name, (before:gsub("\r\n", "\n")), vim.bo[buffer].filetype)
  local left = vim.api.nvim_open_win(old, false, { split = "left", win = window })
  dress(left, "without the changes: " .. name)
  vim.api.nvim_win_call(window, vim.cmd.diffthis)
  open[id] = { left }
  vim.api.nvim_create_autocmd("WinClosed", {
    pattern = tostring(left),
    once = true,
    callback = function()
      if vim.api.nvim_win_is_valid(window) then
        vim.api.nvim_win_call(window, vim.cmd.diffoff)
      end
    end,
  })
end

return M
