--- The conversation: events come in, blocks of the view come out.

local config = require("bowline.config")
local tool = require("bowline.chat.tool")

local M = {}

---@class bowline.Transcript
---@field view bowline.View
---@field texts table<string, bowline.Block> Message → the block its words go to.
---@field thoughts table<string, bowline.Block>
---@field of table<string, bowline.Block[]> Message → all its blocks.
---@field order string[] Messages, the oldest first.
---@field cards table<string, { card: bowline.Card, block: bowline.Block }>
---@field lists table<string, bowline.Block> The todo list and the plan of this turn.
---@field retry? bowline.Block
local Transcript = {}
Transcript.__index = Transcript

---@param view bowline.View
---@return bowline.Transcript
function M.new(view)
  local transcript = setmetatable({ view = view }, Transcript)
  transcript:reset()
  return transcript
end

function Transcript:reset()
  self.texts, self.thoughts, self.of, self.cards, self.lists = {}, {}, {}, {}, {}
  self.retry = nil
  self.view:clear()
end

local function split(text)
  return vim.split((text:gsub("\r", "")), "\n", { plain = true })
end

--- A block that is one paragraph, all in one colour.
function Transcript:say(text, group)
  local drawn = { lines = { "" }, marks = {} }
  for _, line in ipairs(split(text)) do
    table.insert(drawn.lines, line)
    table.insert(drawn.marks, { row = #drawn.lines, group = group })
  end
  return self.view:append(drawn)
end

--- What came with a prompt, in words.
---@param block bowline.Block
function M.attachment(block)
  if block.type == "text" then
    return nil
  end
  if block.type == "image" or block.type == "document" then
    return ("%s %s"):format(block.type == "image" and "picture" or "document", block.title or block.uri or block.mimeType)
  end
  local name = block.uri and vim.fn.fnamemodify(vim.uri_to_fname(block.uri), ":~:.") or "?"
  if block.type == "resource" then
    return ("%s of %s"):format(block.uri, block.server)
  end
  if block.type == "diagnostics" then
    return ("%d diagnostics of %s"):format(#block.items, name)
  end
  if block.range then
    local first, last = block.range.start.line + 1, block.range["end"].line + 1
    return ("lines %d to %d of %s"):format(first, last, name)
  end
  return name
end

function Transcript:keep(message, block)
  self.of[message] = self.of[message] or {}
  table.insert(self.of[message], block)
end

function Transcript:user(message, text, attachments)
  local drawn = { lines = { "" }, marks = {} }
  for at, line in ipairs(split(text)) do
    table.insert(drawn.lines, (at == 1 and "❯ " or "  ") .. line)
    table.insert(drawn.marks, { row = #drawn.lines, group = "BowlineUser" })
  end
  for _, block in ipairs(attachments or {}) do
    local words = M.attachment(block)
    if words then
      table.insert(drawn.lines, "  ⎘ " .. words)
      table.insert(drawn.marks, { row = #drawn.lines, group = "BowlineAttached" })
    end
  end
  self:keep(message, self.view:append(drawn))
end

--- The words of an answer, appended as they come.
function Transcript:words(message, text)
  local block = self.texts[message]
  if not block then
    block = self.view:append({ lines = { "", "" } })
    self.texts[message] = block
    self:keep(message, block)
  end
  self.view:extend(block, (text:gsub("\r", "")))
end

function Transcript:thought(message, text)
  local block = self.thoughts[message]
  if not block then
    block = self.view:append({ lines = { "", "  Thinking", "    " }, levels = { "0", ">1", "1" } })
    block.level = "1"
    self.view:tint(block, "BowlineThought")
    self.thoughts[message] = block
    self:keep(message, block)
  end
  self.view:extend(block, (text:gsub("\r", ""):gsub("\n", "\n    ")))
end

function Transcript:draw(entry)
  local drawn = tool.draw(entry.card, config.options.chat.diff_lines)
  if entry.block then
    self.view:replace(entry.block, drawn)
  else
    entry.block = self.view:append(drawn)
  end
end

local TODO = { completed = "☑", in_progress = "◐", pending = "☐" }

function Transcript:list(title, entries)
  local drawn = { lines = { "", title }, marks = { { row = 2, group = "BowlineTodo" } } }
  for _, entry in ipairs(entries) do
    local words = entry.status == "in_progress" and entry.activeForm or entry.content
    table.insert(drawn.lines, ("  %s %s"):format(TODO[entry.status] or "☐", (words:gsub("\n", " "))))
    local group = entry.status == "completed" and "BowlineTodoDone" or "BowlineTodo"
    table.insert(drawn.marks, { row = #drawn.lines, group = group })
  end
  local block = self.lists[title]
  if block then
    self.view:replace(block, drawn)
  elseif #entries > 0 then
    self.lists[title] = self.view:append(drawn)
  end
end

--- Whatever came after a message goes on in blocks of its own.
local function finish(self, message)
  self.texts[message], self.thoughts[message] = nil, nil
end

local ENDS = {
  cancelled = "Stopped.",
  max_tokens = "The answer was cut off: it got too long.",
  max_turns = "Stopped: the limit of steps was reached.",
  max_budget = "Stopped: the limit of cost was reached.",
  refusal = "The model declined.",
  hook_stopped = "A hook stopped the turn.",
  tool_deferred = "A hook put a call off until somebody decides about it.",
  prompt_too_long = "The conversation does not fit into the context; try /compact.",
  blocked = "The prompt was not let through.",
}

local SEVERITY = { info = "BowlineNotice", warning = "BowlineWarning", error = "BowlineError" }

--- Everything that went along with a prompt. The server tells of pictures and documents, as it took
--- them; the rest is known here.
local function together(event)
  local sent = require("bowline.session").sent
  local own = vim.iter(sent[event.messageId] or {}):filter(function(block)
    return block.type ~= "image" and block.type ~= "document"
  end):totable()
  sent[event.messageId] = nil
  return vim.list_extend(own, event.attachments or {})
end

---@type table<string, fun(self: bowline.Transcript, event: table)>
local SHOW = {}

SHOW["turn.started"] = function(self)
  self.lists, self.retry = {}, nil
end
SHOW["message.started"] = function(self, event)
  if event.role == "user" and not event.parentToolCallId then
    self:user(event.messageId, event.text or "", together(event))
  elseif event.text and event.role == "system" then
    self:keep(event.messageId, self:say(event.text, "BowlineNotice"))
  elseif event.text and event.text ~= "" and not event.parentToolCallId then
    self:words(event.messageId, event.text)
  end
end
SHOW["message.delta"] = function(self, event)
  self:words(event.messageId, event.text)
end
SHOW["message.ended"] = function(self, event)
  local block = self.texts[event.messageId]
  if block and event.text then
    -- It is not just what streamed.
    self.view:replace(block, { lines = vim.list_extend({ "" }, split(event.text)) })
  end
  finish(self, event.messageId)
end
SHOW["message.retracted"] = function(self, event)
  for _, block in ipairs(self.of[event.messageId] or {}) do
    self.view:remove(block)
  end
  self.of[event.messageId] = nil
  finish(self, event.messageId)
end
SHOW["thought.delta"] = function(self, event)
  self:thought(event.messageId, event.text)
end
SHOW["thought.ended"] = function(self, event)
  self.thoughts[event.messageId] = nil
end
SHOW["tool.started"] = function(self, event)
  for message in pairs(self.texts) do
    self.texts[message] = nil
  end
  local card = {
    name = event.name,
    kind = event.kind,
    title = event.title,
    status = "pending",
    nested = event.parentToolCallId ~= nil,
    output = {},
    content = {},
  }
  self.cards[event.toolCallId] = { card = card }
  self:draw(self.cards[event.toolCallId])
end
SHOW["tool.updated"] = function(self, event)
  local entry = self.cards[event.toolCallId]
  if not entry then
    return
  end
  local card = entry.card
  card.status, card.title = event.status, event.title or card.title
  local progress = event.progress
  if progress and progress.output then
    tool.printed(card, progress.output)
  elseif progress and progress.message then
    tool.printed(card, progress.message .. "\n")
  end
  self:draw(entry)
end
SHOW["tool.ended"] = function(self, event)
  local entry = self.cards[event.toolCallId]
  if not entry then
    return
  end
  local card = entry.card
  card.status, card.content, card.diff = event.status, event.content or {}, event.diff
  card.duration = event.durationMs
  self:draw(entry)
  self.cards[event.toolCallId] = nil
end
SHOW["todos.updated"] = function(self, event)
  self:list("Todo", event.items)
end
SHOW["plan.updated"] = function(self, event)
  self:list("Plan", event.entries)
end
SHOW["command.output"] = function(self, event)
  self:say(event.text, "BowlineNotice")
end
SHOW["notice"] = function(self, event)
  self:say(event.text, SEVERITY[event.severity] or "BowlineNotice")
end
SHOW["away.summarized"] = function(self, event)
  self:say(event.text, "BowlineNotice")
end
SHOW["retry"] = function(self, event)
  local text = ("Trying again in %.0f s (attempt %d failed): %s"):format(
    event.delayMs / 1000,
    event.attempt,
    event.error.message
  )
  if self.retry then
    self.view:remove(self.retry)
  end
  self.retry = self:say(text, "BowlineWarning")
end
SHOW["compaction.started"] = function(self)
  self:say("Summing the conversation up …", "BowlineNotice")
end
SHOW["compaction.ended"] = function(self, event)
  if event.error then
    self:say("It could not be summed up: " .. event.error.message, "BowlineError")
  else
    self:say(("Summed up: %d tokens became %d."):format(event.before, event.after), "BowlineNotice")
  end
end
SHOW["task.ended"] = function(self, event)
  self:say(("In the background: %s: %s."):format(event.task.title, event.task.status), "BowlineNotice")
end
SHOW["turn.ended"] = function(self, event)
  if event.error then
    self:say("✗ " .. event.error.message, "BowlineError")
  elseif ENDS[event.stopReason] then
    self:say(ENDS[event.stopReason], "BowlineWarning")
  end
  self.texts, self.thoughts, self.retry = {}, {}, nil
end
SHOW["bowline.refused"] = function(self, event)
  self:say("✗ " .. event.message, "BowlineError")
end
SHOW["bowline.closed"] = function(self)
  self:say("The server has stopped. The session is stored; the next prompt opens it again.", "BowlineWarning")
end
SHOW["bowline.attached"] = function(self, event)
  self:say("  ⎘ " .. event.text, "BowlineAttached")
end

---@param event table
function Transcript:take(event)
  local show = SHOW[event.type]
  if show then
    show(self, event)
  end
end

--- Shows a stored conversation.
---@param snapshot bowline.Snapshot
function Transcript:load(snapshot)
  self:reset()
  for _, message in ipairs(snapshot.messages) do
    local texts, attachments = {}, {}
    for _, block in ipairs(message.blocks) do
      if message.role == "user" and block.type == "text" then
        table.insert(texts, block.text)
      elseif block.type == "attachment" then
        table.insert(attachments, block.block)
      elseif block.type == "text" then
        self:words(message.messageId, block.text)
        self.texts[message.messageId] = nil
      elseif block.type == "thought" then
        self:thought(message.messageId, block.text)
        self.thoughts[message.messageId] = nil
      elseif block.type == "summary" then
        self:say("Everything before was summed up.", "BowlineNotice")
      elseif block.type == "toolCall" then
        local call = block.call
        self:draw({
          card = {
            name = call.name,
            kind = call.kind,
            title = call.title,
            status = call.status,
            nested = call.parentToolCallId ~= nil,
            output = {},
            content = call.content or {},
            diff = call.diff,
          },
        })
      end
    end
    if message.role == "user" and (#texts > 0 or #attachments > 0) then
      self:user(message.messageId, table.concat(texts, "\n"), attachments)
    end
  end
  if #snapshot.todos > 0 then
    self:list("Todo", snapshot.todos)
  end
end

return M
