--- What may leave: which buffers the server sees at all, and which it never does.

local config = require("bowline.config")

local M = {}

---@type table<string, any>
local compiled = {}

local function matcher(glob)
  if compiled[glob] == nil then
    -- A name alone is meant wherever it is.
    local anywhere = glob:find("/", 1, true) and glob:gsub("^/", "") or ("**/" .. glob)
    local ok, pattern = pcall(vim.glob.to_lpeg, anywhere)
    -- Nobody knows what was meant by it: then everything is.
    compiled[glob] = ok and pattern or vim.lpeg.P(1) ^ 0
  end
  return compiled[glob]
end

--- The glob that keeps a file back, if one does.
---@param path string
---@param root? string
---@return string?
function M.excluded(path, root)
  path = vim.fs.normalize(path)
  local relative = path
  if root and vim.startswith(path, vim.fs.normalize(root) .. "/") then
    relative = path:sub(#vim.fs.normalize(root) + 2)
  end
  for _, glob in ipairs(config.options.share.exclude) do
    local pattern = matcher(glob)
    if pattern:match(relative) or pattern:match(path) then
      return glob
    end
  end
end

--- Whether the server may see a buffer, and why not.
---@param buffer integer
---@param root string
---@return boolean, string?
function M.allows(buffer, root)
  local name = vim.api.nvim_buf_get_name(buffer)
  if not vim.api.nvim_buf_is_loaded(buffer) or vim.bo[buffer].buftype ~= "" or name == "" then
    return false, "it is not a file"
  end
  if name:find("^%a[%w+.-]*://") then
    return false, "it is not a file of this machine"
  end
  -- Links lead elsewhere: both names count.
  local real = vim.uv.fs_realpath(name) or name
  local glob = M.excluded(name, root) or M.excluded(real, vim.uv.fs_realpath(root) or root)
  if glob then
    return false, ("the option share.exclude has %q"):format(glob)
  end
  local top = vim.fs.normalize(vim.uv.fs_realpath(root) or root)
  local inside = vim.startswith(vim.fs.normalize(real), top .. "/")
    or vim.startswith(vim.fs.normalize(name), vim.fs.normalize(root) .. "/")
  if not inside then
    return false, "it is outside of " .. root
  end
  if config.options.attach and not config.options.attach(buffer) then
    return false, "the option attach says no"
  end
  return true
end

--- The rules that keep the agent's own tools away from the same files.
---@return string[]
function M.rules()
  local rules = {}
  for _, glob in ipairs(config.options.share.exclude) do
    table.insert(rules, ("Read(%s)"):format(glob))
    table.insert(rules, ("Edit(%s)"):format(glob))
  end
  return rules
end

return M
