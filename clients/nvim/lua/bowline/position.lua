--- Places in texts: Neovim counts bytes, a client counts in what it agreed on with its server.

local M = {}

local NEW = vim.fn.has("nvim-0.11") == 1

--- Bytes from the start of a line → the client's units.
---@param line string
---@param byte integer
---@param encoding string
---@return integer
function M.units(line, byte, encoding)
  byte = math.min(byte, #line)
  if encoding == "utf-8" then
    return byte
  end
  if NEW then
    return vim.str_utfindex(line, encoding, byte, false)
  end
  local utf32, utf16 = vim.str_utfindex(line, byte)
  return encoding == "utf-32" and utf32 or utf16
end

--- The client's units → bytes from the start of a line.
---@param line string
---@param units integer
---@param encoding string
---@return integer
function M.byte(line, units, encoding)
  if encoding == "utf-8" then
    return math.min(units, #line)
  end
  if NEW then
    return vim.str_byteindex(line, encoding, units, false)
  end
  local most32, most16 = vim.str_utfindex(line)
  local most = encoding == "utf-32" and most32 or most16
  return vim.str_byteindex(line, math.min(units, most), encoding == "utf-16")
end

---@param buffer integer
---@param row integer From zero.
function M.line(buffer, row)
  return vim.api.nvim_buf_get_lines(buffer, row, row + 1, false)[1] or ""
end

--- A place of a buffer, row and byte from zero, as the protocol has it.
---@return bowline.Position
function M.of(buffer, row, byte, encoding)
  return { line = row, character = M.units(M.line(buffer, row), byte, encoding) }
end

--- A range of a buffer; the end is not part of it.
---@return bowline.Range
function M.range(buffer, first_row, first_byte, last_row, last_byte, encoding)
  return {
    start = M.of(buffer, first_row, first_byte, encoding),
    ["end"] = M.of(buffer, last_row, last_byte, encoding),
  }
end

--- Whole lines, from zero, the last one included.
---@return bowline.Range
function M.lines(buffer, first, last, encoding)
  local bottom = vim.api.nvim_buf_line_count(buffer) - 1
  last = math.min(last, bottom)
  return M.range(buffer, math.min(first, last), 0, last, #M.line(buffer, last), encoding)
end

--- The protocol's place → row and byte from zero, kept inside the buffer.
---@param position bowline.Position
---@return integer row, integer byte
function M.place(buffer, position, encoding)
  local bottom = vim.api.nvim_buf_line_count(buffer) - 1
  if position.line > bottom then
    return bottom, #M.line(buffer, bottom)
  end
  return position.line, M.byte(M.line(buffer, position.line), position.character, encoding)
end

--- A range that one client counted, in the units of another.
---@param range bowline.Range
---@param line fun(row: integer): string
function M.convert(range, line, from, to)
  if from == to then
    return range
  end
  local function one(position)
    local text = line(position.line)
    return { line = position.line, character = M.units(text, M.byte(text, position.character, from), to) }
  end
  return { start = one(range.start), ["end"] = one(range["end"]) }
end

return M
