--- What the user looks at, told only while they share it, and never of what they keep back.

local client = require("bowline.client")
local config = require("bowline.config")
local position = require("bowline.position")

local M = {}

local PAUSE = 120
local timer
local last

--- Whether it is told now; a command switches it without forgetting what the user set.
M.on = false

local function selection(buffer, encoding)
  local mode = vim.api.nvim_get_mode().mode
  local row, column = unpack(vim.api.nvim_win_get_cursor(0))
  if not mode:find("^[vV\22]") then
    return position.range(buffer, row - 1, column, row - 1, column, encoding)
  end
  local anchor = vim.fn.getpos("v")
  local first, last_row = math.min(anchor[2], row), math.max(anchor[2], row)
  if mode:sub(1, 1) == "v" then
    local from, to = { anchor[2], anchor[3] - 1 }, { row, column }
    if from[1] > to[1] or (from[1] == to[1] and from[2] > to[2]) then
      from, to = to, from
    end
    local text = position.line(buffer, to[1] - 1)
    local past = to[2] + #vim.fn.strpart(text, to[2], 1, true)
    return position.range(buffer, from[1] - 1, from[2], to[1] - 1, past, encoding)
  end
  return position.lines(buffer, first - 1, last_row - 1, encoding)
end

local function tell()
  local buffer = vim.api.nvim_get_current_buf()
  if not M.on or not client.is_attached(buffer) then
    return
  end
  local encoding = client.encoding()
  local params = {
    uri = vim.uri_from_bufnr(buffer),
    version = client.version(buffer),
    selections = { selection(buffer, encoding) },
    visible = position.lines(buffer, vim.fn.line("w0") - 1, vim.fn.line("w$") - 1, encoding),
  }
  if not vim.deep_equal(params, last) then
    last = params
    client.notify("agent/editor/focus", params)
  end
end

local function later()
  if not M.on then
    return
  end
  timer = timer or assert(vim.uv.new_timer())
  timer:start(PAUSE, 0, vim.schedule_wrap(tell))
end

---@param on boolean
function M.share(on)
  M.on, last = on, nil
  if on then
    later()
  end
end

function M.setup()
  M.on = config.options.share.focus
  vim.api.nvim_create_autocmd({ "CursorMoved", "CursorMovedI", "BufEnter", "ModeChanged" }, {
    group = vim.api.nvim_create_augroup("bowline.focus", {}),
    callback = later,
  })
end

return M
