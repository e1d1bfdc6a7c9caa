--- A buffer made of blocks, each of which can grow or be drawn anew where it stands. What an event
--- costs depends on what it brings, not on how long the conversation is.

local M = {}

local space = vim.api.nvim_create_namespace("bowline.chat")

---@class bowline.Drawn
---@field lines string[]
---@field levels? table<integer, string> Row, from one → fold level as 'foldexpr' has it.
---@field marks? { row: integer, group: string, first?: integer, last?: integer }[] Rows from one; without columns the whole line.

---@class bowline.Block
---@field mark integer
---@field count integer
---@field level string What lines that are appended get.

---@class bowline.View
---@field buffer integer
---@field levels string[]
---@field empty boolean
local View = {}
View.__index = View

---@param buffer integer
---@return bowline.View
function M.new(buffer)
  return setmetatable({ buffer = buffer, levels = {}, empty = true }, View)
end

function View:clear()
  self.levels, self.empty = {}, true
  vim.api.nvim_buf_clear_namespace(self.buffer, space, 0, -1)
  self:change(function()
    vim.api.nvim_buf_set_lines(self.buffer, 0, -1, false, {})
  end)
end

--- Changes the text; windows that stood at its end stay at its end.
function View:change(work)
  local buffer = self.buffer
  local bottom = vim.api.nvim_buf_line_count(buffer)
  local following = vim.iter(vim.fn.win_findbuf(buffer)):filter(function(window)
    return vim.api.nvim_win_get_cursor(window)[1] >= bottom
  end):totable()
  vim.bo[buffer].modifiable = true
  work()
  vim.bo[buffer].modifiable = false
  vim.bo[buffer].modified = false
  bottom = vim.api.nvim_buf_line_count(buffer)
  for _, window in ipairs(following) do
    vim.api.nvim_win_set_cursor(window, { bottom, 0 })
  end
end

---@param block bowline.Block
---@return integer row From zero.
function View:row(block)
  return vim.api.nvim_buf_get_extmark_by_id(self.buffer, space, block.mark, {})[1]
end

--- Takes `old` lines from `first` on out of the list of levels and puts others there.
local function splice(levels, first, old, new)
  local tail = {}
  for at = first + old + 1, #levels do
    tail[#tail + 1] = levels[at]
  end
  for at = #levels, first + 1, -1 do
    levels[at] = nil
  end
  vim.list_extend(levels, new)
  vim.list_extend(levels, tail)
end

local function levels_of(drawn)
  local levels = {}
  for at = 1, #drawn.lines do
    levels[at] = drawn.levels and drawn.levels[at] or "0"
  end
  return levels
end

--- Marks live and die with the lines they are on.
function View:paint(first, drawn)
  for _, mark in ipairs(drawn.marks or {}) do
    local row = first + mark.row - 1
    if mark.first then
      vim.api.nvim_buf_set_extmark(self.buffer, space, row, mark.first, {
        end_col = math.min(mark.last or math.huge, #drawn.lines[mark.row]),
        hl_group = mark.group,
      })
    else
      vim.api.nvim_buf_set_extmark(self.buffer, space, row, 0, {
        end_row = row + 1,
        hl_group = mark.group,
        hl_eol = true,
        strict = false,
      })
    end
  end
end

--- Puts a block at the end.
---@param drawn bowline.Drawn
---@return bowline.Block
function View:append(drawn)
  local first = self.empty and 0 or vim.api.nvim_buf_line_count(self.buffer)
  splice(self.levels, first, 0, levels_of(drawn))
  self:change(function()
    vim.api.nvim_buf_set_lines(self.buffer, first, self.empty and 1 or first, false, drawn.lines)
  end)
  self.empty = false
  local mark = vim.api.nvim_buf_set_extmark(self.buffer, space, first, 0, {})
  self:paint(first, drawn)
  return { mark = mark, count = #drawn.lines, level = "0" }
end

--- Draws a block anew.
---@param block bowline.Block
---@param drawn bowline.Drawn
function View:replace(block, drawn)
  local first = self:row(block)
  local last = first + block.count
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(self.buffer, space, { first, 0 }, { last - 1, -1 }, {})) do
    if mark[1] ~= block.mark then
      vim.api.nvim_buf_del_extmark(self.buffer, space, mark[1])
    end
  end
  splice(self.levels, first, block.count, levels_of(drawn))
  self:change(function()
    vim.api.nvim_buf_set_lines(self.buffer, first, last, false, drawn.lines)
  end)
  block.count = #drawn.lines
  vim.api.nvim_buf_set_extmark(self.buffer, space, first, 0, { id = block.mark })
  self:paint(first, drawn)
end

--- Appends text to a block, as it streams.
---@param block bowline.Block
---@param text string
function View:extend(block, text)
  local lines = vim.split(text, "\n", { plain = true })
  local row = self:row(block) + block.count - 1
  local new = {}
  for at = 1, #lines - 1 do
    new[at] = block.level
  end
  splice(self.levels, row + 1, 0, new)
  self:change(function()
    local column = #(vim.api.nvim_buf_get_lines(self.buffer, row, row + 1, false)[1] or "")
    vim.api.nvim_buf_set_text(self.buffer, row, column, row, column, lines)
  end)
  block.count = block.count + #lines - 1
end

--- Takes a block out.
---@param block bowline.Block
function View:remove(block)
  local first = self:row(block)
  splice(self.levels, first, block.count, {})
  self:change(function()
    vim.api.nvim_buf_set_lines(self.buffer, first, first + block.count, false, {})
  end)
  vim.api.nvim_buf_del_extmark(self.buffer, space, block.mark)
  self.empty = #self.levels == 0
end

--- Highlights a block from its second line on, and what is appended to it later.
function View:tint(block, group)
  local first = self:row(block)
  local last = first + block.count - 1
  vim.api.nvim_buf_set_extmark(self.buffer, space, first, 0, {
    end_row = last,
    end_col = #vim.api.nvim_buf_get_lines(self.buffer, last, last + 1, false)[1],
    hl_group = group,
    end_right_gravity = true,
  })
end

return M
