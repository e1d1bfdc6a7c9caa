--- What can go along with a prompt, made only when the user says so.

local client = require("bowline.client")
local consent = require("bowline.consent")
local position = require("bowline.position")

local M = {}

--- Why a buffer must not go along.
local function refused(buffer)
  local ok, why = consent.allows(buffer, client.root or client.folder(buffer))
  return not ok and why or nil
end

local function tell(why)
  vim.notify("bowline: this buffer is not shared: " .. why, vim.log.levels.WARN)
end

local function version(buffer)
  return client.is_attached(buffer) and client.version(buffer) or vim.NIL
end

--- Some lines of a buffer, from zero, the last one included.
---@return bowline.SelectionBlock?
function M.lines(buffer, first, last)
  local why = refused(buffer)
  if why then
    return tell(why)
  end
  return {
    type = "selection",
    uri = vim.uri_from_bufnr(buffer),
    version = version(buffer),
    range = position.lines(buffer, first, last, client.encoding()),
    text = table.concat(vim.api.nvim_buf_get_lines(buffer, first, last + 1, false), "\n"),
  }
end

---@return bowline.FileBlock?
function M.file(buffer)
  local why = refused(buffer)
  if why then
    return tell(why)
  end
  local known = version(buffer)
  return { type = "file", uri = vim.uri_from_bufnr(buffer), version = known ~= vim.NIL and known or nil }
end

---@return bowline.DiagnosticsBlock?
function M.diagnostics(buffer)
  local why = refused(buffer)
  if why then
    return tell(why)
  end
  local items = require("bowline.editor.diagnostics").items(buffer)
  if #items == 0 then
    vim.notify("bowline: there are no diagnostics here", vim.log.levels.INFO)
    return nil
  end
  return { type = "diagnostics", uri = vim.uri_from_bufnr(buffer), version = version(buffer), items = items }
end

return M
