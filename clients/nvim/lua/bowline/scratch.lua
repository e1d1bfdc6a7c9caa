--- A buffer whose text is wanted: `:write` hands it over, closing it does not.

local M = {}

--- Opens `json` for editing in a split; `done(value)`, or `done()` when the user gave up.
---@param name string
---@param json string
---@param done fun(value: any)
function M.edit(name, json, done)
  local buffer = vim.api.nvim_create_buf(false, false)
  vim.api.nvim_buf_set_name(buffer, ("bowline://%d/%s"):format(buffer, name))
  vim.bo[buffer].buftype = "acwrite"
  vim.bo[buffer].bufhidden = "wipe"
  vim.bo[buffer].swapfile = false
  local pretty = M.pretty(vim.json.decode(json), "")
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(pretty, "\n"))
  vim.bo[buffer].filetype = "json"
  vim.bo[buffer].modified = false
  local settled = false
  local function settle(value)
    if not settled then
      settled = true
      vim.schedule(function()
        done(value)
      end)
    end
  end
  vim.api.nvim_create_autocmd("BufWriteCmd", {
    buffer = buffer,
    callback = function()
      local text = table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), "\n")
      local ok, value = pcall(vim.json.decode, text)
      if not ok then
        return vim.notify("bowline: this is not JSON: " .. value, vim.log.levels.ERROR)
      end
      vim.bo[buffer].modified = false
      settle(value)
      vim.schedule(function()
        pcall(vim.api.nvim_buf_delete, buffer, { force = true })
      end)
    end,
  })
  vim.api.nvim_create_autocmd("BufWipeout", {
    buffer = buffer,
    callback = function()
      settle(nil)
    end,
  })
  vim.cmd("botright split")
  vim.api.nvim_win_set_buf(0, buffer)
  vim.api.nvim_echo({ { ":w uses it, :q gives up", "BowlineHint" } }, false, {})
end

--- JSON that people can read, its keys in order.
---@return string
function M.pretty(value, indent)
  if type(value) ~= "table" then
    return vim.json.encode(value)
  end
  local inner = indent .. "  "
  local parts = {}
  if vim.islist(value) and next(value) ~= nil then
    for _, item in ipairs(value) do
      table.insert(parts, inner .. M.pretty(item, inner))
    end
    return "[\n" .. table.concat(parts, ",\n") .. "\n" .. indent .. "]"
  end
  local keys = vim.tbl_keys(value)
  if #keys == 0 then
    return vim.json.encode(value)
  end
  table.sort(keys)
  for _, key in ipairs(keys) do
    table.insert(parts, inner .. vim.json.encode(key) .. ": " .. M.pretty(value[key], inner))
  end
  return "{\n" .. table.concat(parts, ",\n") .. "\n" .. indent .. "}"
end

return M
