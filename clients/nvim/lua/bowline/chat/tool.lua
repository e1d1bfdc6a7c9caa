--- A tool call as a card: what it is, how it stands, and what came out, folded.

local M = {}

---@class bowline.Card
---@field name string
---@field kind string
---@field title string
---@field status string
---@field nested boolean
---@field output string[] What it prints while it runs.
---@field content bowline.ContentPart[]
---@field diff? bowline.FileDiff
---@field duration? integer
---@field summary? string

local SIGNS = {
  pending = { "○", "BowlineDetail" },
  waiting = { "?", "BowlineWaiting" },
  running = { "◐", "BowlineRunning" },
  completed = { "●", "BowlineDone" },
  failed = { "✗", "BowlineFailed" },
  denied = { "⊘", "BowlineFailed" },
  cancelled = { "■", "BowlineWaiting" },
}

--- So much of what a running command prints is in sight.
local TAIL = 6
--- No card is longer than this; the whole is in the journal.
local MOST = 2000

local function text_lines(text)
  local lines = vim.split((text:gsub("\r", "")), "\n", { plain = true })
  while #lines > 0 and lines[#lines] == "" do
    lines[#lines] = nil
  end
  return lines
end

local function absent(value)
  return value == nil or value == vim.NIL
end

--- The lines of a unified diff, without its head.
---@param old any
---@param new any
---@return string[]
function M.diff_lines(old, new)
  local before, after = absent(old) and "" or old, absent(new) and "" or new
  local diff = vim.diff(before, after, { ctxlen = 2 }) --[[@as string]]
  return vim.iter(text_lines(diff)):filter(function(line)
    return not vim.startswith(line, "\\")
  end):totable()
end

--- The parts as lines, each with a group or none.
local function body(card)
  local lines = {}
  local function add(text, group)
    table.insert(lines, { text, group })
  end
  local function add_diff(diff)
    for _, line in ipairs(M.diff_lines(diff.oldText, diff.newText)) do
      local first = line:sub(1, 1)
      add(line, first == "+" and "BowlineAdded" or first == "-" and "BowlineRemoved" or "BowlineDetail")
    end
  end
  local shown = false
  for _, part in ipairs(card.content) do
    if part.type == "diff" then
      shown = true
      add_diff(part)
    elseif part.type == "text" or part.type == "output" then
      -- What the model is told beside is not what came out.
      local text = part.text:gsub("\n?<system%-reminder>.-</system%-reminder>", "")
      vim.iter(text_lines(text)):each(add)
      if part.type == "output" and part.exitCode and part.exitCode ~= 0 then
        add(("(exit code %d)"):format(part.exitCode), "BowlineFailed")
      end
    elseif part.type == "image" then
      add(("[picture %s]"):format(part.mimeType), "BowlineDetail")
    elseif part.type == "link" then
      add(("%s <%s>"):format(part.title or "link", part.uri), "BowlineDetail")
    end
  end
  if card.diff and not shown then
    lines = {}
    add_diff(card.diff)
  end
  if #lines > MOST then
    local left_out = #lines - MOST
    lines = vim.list_slice(lines, 1, MOST)
    add(("… %d more lines"):format(left_out), "BowlineDetail")
  end
  return lines
end

local function ended(status)
  return status ~= "pending" and status ~= "waiting" and status ~= "running"
end

---@param card bowline.Card
---@param longest_diff integer
---@return bowline.Drawn
function M.draw(card, longest_diff)
  local indent = card.nested and "    " or "  "
  local sign = SIGNS[card.status] or SIGNS.pending
  local head = ("%s%s %s"):format(card.nested and "  " or "", sign[1], (card.title:gsub("[\r\n].*", " …")))
  if card.duration and card.duration >= 1000 then
    head = ("%s  (%.1f s)"):format(head, card.duration / 1000)
  end
  local start = card.nested and 2 or 0
  local drawn = {
    lines = { "", head },
    levels = {},
    marks = {
      { row = 2, group = sign[2], first = start, last = start + #sign[1] },
      { row = 2, group = "BowlineTool", first = start + #sign[1] + 1 },
    },
  }
  local lines, folded
  if ended(card.status) then
    lines = body(card)
    local is_diff = card.diff ~= nil or vim.iter(card.content):any(function(part)
      return part.type == "diff"
    end)
    folded = #lines > 0 and not (is_diff and #lines <= longest_diff)
    -- Why something did not work is worth a look without opening anything.
    folded = folded and not (card.status ~= "completed" and #lines <= TAIL)
  else
    local first = math.max(1, #card.output - TAIL + 1)
    lines = vim.iter(vim.list_slice(card.output, first)):map(function(line)
      return { line, "BowlineDetail" }
    end):totable()
  end
  for at, line in ipairs(lines) do
    -- Four blanks and more are code to Markdown: nothing in it is read as a heading or a fence.
    table.insert(drawn.lines, indent .. "  " .. line[1])
    local row = #drawn.lines
    table.insert(drawn.marks, { row = row, group = line[2] or "BowlineDetail", first = #indent + 2 })
    if folded then
      drawn.levels[row] = at == 1 and ">1" or "1"
    end
  end
  return drawn
end

--- Takes in what a running call printed.
---@param card bowline.Card
---@param text string
function M.printed(card, text)
  local lines = vim.split((text:gsub("\r", "")), "\n", { plain = true })
  local last = #card.output
  if last > 0 and card.unfinished then
    card.output[last] = card.output[last] .. table.remove(lines, 1)
  end
  vim.list_extend(card.output, lines)
  card.unfinished = true
  if card.output[#card.output] == "" then
    card.output[#card.output] = nil
    card.unfinished = false
  end
  if #card.output > MOST then
    card.output = vim.list_slice(card.output, #card.output - TAIL)
  end
end

return M
