--- An edit of a selection: say what to do, watch it being written, keep it or not.

local client = require("bowline.client")
local position = require("bowline.position")
local session = require("bowline.session")

local M = {}

local space = vim.api.nvim_create_namespace("bowline.inline")

---@class bowline.InlineEdit
---@field id string
---@field session string
---@field buffer integer
---@field mark integer
---@field text string

---@type table<string, bowline.InlineEdit>
M.open = {}

local function draw(edit)
  local lines = vim.split(edit.text, "\n", { plain = true })
  local shown = vim.iter(lines):map(function(line)
    return { { line == "" and " " or line, "BowlinePreview" } }
  end):totable()
  if edit.text == "" then
    shown = { { { "Bowline is at it … (:Bowline cancel stops it)", "BowlineHint" } } }
  end
  local at = vim.api.nvim_buf_get_extmark_by_id(edit.buffer, space, edit.mark, { details = true })
  local last = at[3].end_row
  -- The preview stands below what it is about to replace.
  edit.below = vim.api.nvim_buf_set_extmark(edit.buffer, space, last, 0, { id = edit.below, virt_lines = shown })
end

local function close(edit)
  M.open[edit.id] = nil
  if vim.api.nvim_buf_is_valid(edit.buffer) then
    for _, mark in ipairs({ edit.mark, edit.below }) do
      vim.api.nvim_buf_del_extmark(edit.buffer, space, mark)
    end
  end
end

local function begin(answer, buffer, first, last)
  local edit = { id = answer.editId, session = answer.sessionId, buffer = buffer, text = "" }
  edit.mark = vim.api.nvim_buf_set_extmark(buffer, space, first, 0, {
    end_row = last,
    end_col = #position.line(buffer, last),
    hl_group = "BowlineReplaced",
    priority = 95,
  })
  M.open[edit.id] = edit
  draw(edit)
end

--- Sends the edit of some lines, from zero, the last included.
---@param buffer integer
---@param first integer
---@param last integer
---@param instruction string
function M.edit(buffer, first, last, instruction)
  session.ensure(function(id, problem)
    if not id then
      return client.tell(problem)
    end
    client.attach(buffer)
    if not client.is_attached(buffer) then
      local _, why = require("bowline.consent").allows(buffer, client.root or "")
      return vim.notify(("bowline: this buffer is not shared: %s"):format(why or "?"), vim.log.levels.ERROR)
    end
    local params = {
      textDocument = { uri = vim.uri_from_bufnr(buffer), version = client.version(buffer) },
      range = position.lines(buffer, first, last, client.encoding()),
      instruction = instruction,
      sessionId = id,
    }
    client.request("agent/edit/inline", params, function(answer, refused)
      if refused then
        return client.tell(refused)
      end
      begin(answer, buffer, first, last)
    end, buffer)
  end)
end

--- Asks what to do with some lines, then does it.
---@param first integer
---@param last integer
---@param instruction? string
function M.ask(first, last, instruction)
  local buffer = vim.api.nvim_get_current_buf()
  if instruction and instruction ~= "" then
    return M.edit(buffer, first, last, instruction)
  end
  vim.ui.input({ prompt = "Edit: " }, function(words)
    if words and words ~= "" then
      M.edit(buffer, first, last, words)
    end
  end)
end

--- Mends the diagnostics of some lines; all of the buffer without any.
---@param first? integer
---@param last? integer
function M.fix(first, last)
  local buffer = vim.api.nvim_get_current_buf()
  local all = require("bowline.editor.diagnostics").items(buffer)
  local items = vim.iter(all):filter(function(item)
    return not first or (item.range.start.line <= last and item.range["end"].line >= first)
  end):totable()
  if #items == 0 then
    return vim.notify("bowline: there are no diagnostics here", vim.log.levels.INFO)
  end
  session.ensure(function(id, problem)
    if not id then
      return client.tell(problem)
    end
    client.attach(buffer)
    local params = {
      textDocument = { uri = vim.uri_from_bufnr(buffer), version = client.version(buffer) },
      diagnostics = items,
      sessionId = id,
    }
    client.request("agent/fix/diagnostics", params, function(answer, refused)
      if refused then
        return client.tell(refused)
      end
      local from, to = math.huge, 0
      for _, item in ipairs(items) do
        from, to = math.min(from, item.range.start.line), math.max(to, item.range["end"].line)
      end
      local bottom = vim.api.nvim_buf_line_count(buffer) - 1
      begin(answer, buffer, math.min(from, bottom), math.min(to, bottom))
    end, buffer)
  end)
end

--- `agent/edit/delta`.
---@param params bowline.EditDeltaParams
function M.on_delta(params)
  local edit = M.open[params.editId]
  if edit then
    edit.text = edit.text .. params.text
    draw(edit)
  end
end

--- Stops what is under way in a buffer; true when there was something.
---@param buffer? integer
---@return boolean
function M.cancel(buffer)
  local stopped = false
  for _, edit in pairs(M.open) do
    if not buffer or edit.buffer == buffer then
      stopped = true
      client.notify("agent/inline/resolved", { editId = edit.id, action = "reject" })
    end
  end
  return stopped
end

session.on("tool.ended", function(event)
  local edit = M.open[event.toolCallId]
  if not edit then
    return
  end
  close(edit)
  if event.status ~= "completed" or not event.diff then
    local part = vim.iter(event.content or {}):find(function(part)
      return part.type == "text"
    end)
    local level = event.status == "failed" and vim.log.levels.ERROR or vim.log.levels.INFO
    vim.notify("bowline: " .. (part and part.text or "the edit was " .. event.status), level)
  end
end)
session.on("bowline.closed", function()
  vim.iter(vim.tbl_values(M.open)):each(close)
end)

return M
