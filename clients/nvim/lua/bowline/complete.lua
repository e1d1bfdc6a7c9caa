--- Completion in the prompt, from the server: `/commands` at its beginning, `@files` and agents.

local client = require("bowline.client")
local session = require("bowline.session")

local M = {}

local KINDS = { command = "c", file = "f", folder = "d", agent = "a", resource = "r", memory = "m" }
--- 'omnifunc' has to answer at once.
local PATIENCE = 1000

--- The text of the prompt, the caret in it, and where the caret's line begins, in bytes.
local function place(buffer)
  local row, column = unpack(vim.api.nvim_win_get_cursor(0))
  local lines = vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
  local line_start = 0
  for at = 1, row - 1 do
    line_start = line_start + #lines[at] + 1
  end
  return table.concat(lines, "\n"), line_start + column, line_start
end

--- Bytes of a whole text → the units of the client, and back. Line breaks count as one either way.
local function units(text, byte)
  return require("bowline.position").units((text:gsub("\n", " ")), byte, client.encoding())
end
local function bytes(text, count)
  return require("bowline.position").byte((text:gsub("\n", " ")), count, client.encoding())
end

---@param callback fun(items: bowline.CompletionItem[], start: integer) `start` in bytes of the caret's line.
local function ask(buffer, callback)
  local text, caret, line_start = place(buffer)
  session.ensure(function(id)
    if not id then
      return callback({}, 0)
    end
    local params = { text = text, offset = units(text, caret), sessionId = id }
    client.request("agent/complete", params, function(result)
      local items = result and result.items or {}
      local start = items[1] and bytes(text, items[1].start) - line_start or 0
      callback(items, start)
    end)
  end)
end

---@param item bowline.CompletionItem
local function entry(item)
  return {
    word = item.insertText,
    abbr = item.label,
    menu = item.detail and vim.fn.strcharpart((item.detail:gsub("\n", " ")), 0, 60) or "",
    kind = KINDS[item.kind] or "",
    icase = 1,
    dup = 1,
  }
end

local answered = { items = {}, start = 0 }

--- For 'omnifunc'.
function M.omni(find_start)
  if find_start == 1 then
    local done = false
    ask(vim.api.nvim_get_current_buf(), function(items, start)
      answered, done = { items = items, start = start }, true
    end)
    vim.wait(PATIENCE, function()
      return done
    end, 5)
    if not done or #answered.items == 0 then
      return -3
    end
    return answered.start
  end
  return vim.iter(answered.items):map(entry):totable()
end

--- What stands before the caret makes completion worth a try.
local function worth(buffer)
  local row, column = unpack(vim.api.nvim_win_get_cursor(0))
  local before = vim.api.nvim_buf_get_lines(buffer, row - 1, row, false)[1]:sub(1, column)
  return (row == 1 and before:find("^/%S*$")) or before:find("^@%S*$") or before:find("%s@%S*$")
end

local asked = 0

--- Opens the menu by itself while a command or a name is written.
function M.trigger(buffer)
  if vim.fn.mode() ~= "i" or not worth(buffer) then
    return
  end
  asked = asked + 1
  local mine = asked
  ask(buffer, function(items, start)
    -- The user may have gone on meanwhile.
    local here = vim.fn.mode() == "i" and vim.api.nvim_get_current_buf() == buffer
    if mine ~= asked or not here or not worth(buffer) or #items == 0 then
      return
    end
    local before = vim.o.completeopt
    vim.o.completeopt = "menu,menuone,noinsert,noselect"
    vim.fn.complete(start + 1, vim.iter(items):map(entry):totable())
    vim.o.completeopt = before
  end)
end

return M
