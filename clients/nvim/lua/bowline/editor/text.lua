--- `agent/editor/text`: the whole text of a buffer, for a server that lost track of it.

local client = require("bowline.client")

local M = {}

---@param params bowline.EditorTextParams
---@return bowline.EditorTextResult
function M.on_request(params)
  local buffer = vim.uri_to_bufnr(params.uri)
  if not client.is_attached(buffer) then
    error("The document is not open.")
  end
  local lines = vim.api.nvim_buf_get_lines(buffer, 0, -1, true)
  local newline = ({ unix = "\n", dos = "\r\n", mac = "\r" })[vim.bo[buffer].fileformat]
  local text = table.concat(lines, newline)
  if vim.bo[buffer].eol then
    text = text .. newline
  end
  return { version = client.version(buffer), text = text }
end

return M
