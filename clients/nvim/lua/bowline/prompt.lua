--- The prompt: a small buffer below the chat, where the next words are written.

local chat = require("bowline.chat")
local config = require("bowline.config")
local session = require("bowline.session")
local windows = require("bowline.windows")

local M = {}

local space = vim.api.nvim_create_namespace("bowline.prompt")
---@type integer?
local buffer
--- What goes along with the next prompt.
---@type bowline.Block[]
M.attached = {}
--- A guess at what comes next.
---@type string?
local suggestion
--- What was sent, the newest last, and where the user is in it.
local history, at = {}, nil

local function text()
  return vim.trim(table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), "\n"))
end

local function set(words)
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(words, "\n", { plain = true }))
  local window = windows.showing(buffer)
  if window then
    local last = vim.api.nvim_buf_line_count(buffer)
    vim.api.nvim_win_set_cursor(window, { last, #vim.api.nvim_buf_get_lines(buffer, -2, -1, false)[1] })
  end
end

--- What is in the prompt without being written: a hint, a guess, and what is attached.
local function decorate()
  if not (buffer and vim.api.nvim_buf_is_valid(buffer)) then
    return
  end
  vim.api.nvim_buf_clear_namespace(buffer, space, 0, -1)
  local lines = vim.api.nvim_buf_get_lines(buffer, 0, 2, false)
  if #lines == 1 and lines[1] == "" then
    local hint = suggestion and (suggestion .. "  (Tab)")
      or session.is_busy() and "Say more … (<C-s> waits, <C-g> tells it now)"
      or "Ask … (/ commands, @ files, <C-s> sends)"
    vim.api.nvim_buf_set_extmark(buffer, space, 0, 0, { virt_text = { { hint, "BowlineSuggestion" } } })
  end
  local above = {}
  for _, block in ipairs(M.attached) do
    local words = require("bowline.chat.transcript").attachment(block)
    table.insert(above, { { "⎘ " .. words, "BowlineAttached" } })
  end
  if #above > 0 then
    local last = vim.api.nvim_buf_line_count(buffer) - 1
    vim.api.nvim_buf_set_extmark(buffer, space, last, 0, { virt_lines = above })
  end
end

--- Sends what is written. With `steer` the running turn reads it at its next step.
---@param delivery? bowline.Delivery
function M.send(delivery)
  local words = text()
  if words == "" then
    return
  end
  table.insert(history, words)
  at, suggestion = nil, nil
  local attached = M.attached
  M.attached = {}
  set("")
  decorate()
  vim.cmd.stopinsert()
  require("bowline").ask(words, { attached = attached, delivery = delivery, show = false }, function(_, problem)
    -- What was refused is not lost.
    if problem and text() == "" then
      M.attached = attached
      set(words)
      decorate()
    end
  end)
end

--- Walks through what was sent before.
local function recall(step)
  local place = (at or #history + 1) + step
  if place < 1 or place > #history + 1 then
    return
  end
  at = place
  set(history[place] or "")
end

local function take_suggestion()
  if suggestion and text() == "" then
    set(suggestion)
    suggestion = nil
    return true
  end
  return false
end

local function set_keys()
  local function map(modes, keys, action, what)
    vim.keymap.set(modes, keys, action, { buffer = buffer, desc = "Bowline: " .. what })
  end
  map({ "n", "i" }, "<C-s>", function()
    M.send()
  end, "send")
  map("n", "<CR>", function()
    M.send()
  end, "send")
  map({ "n", "i" }, "<C-g>", function()
    M.send("steer")
  end, "tell the running turn")
  map("n", "<C-c>", function()
    session.cancel()
  end, "stop")
  map("n", "q", function()
    chat.close()
  end, "close the chat")
  map("i", "<Tab>", function()
    if not take_suggestion() then
      local keys = vim.fn.pumvisible() == 1 and "<C-n>" or "<C-x><C-o>"
      vim.api.nvim_feedkeys(vim.keycode(keys), "n", false)
    end
  end, "complete")
  map({ "n", "i" }, "<C-Up>", function()
    recall(-1)
  end, "the prompt before")
  map({ "n", "i" }, "<C-Down>", function()
    recall(1)
  end, "the prompt after")
  map("n", "<BS>", function()
    table.remove(M.attached)
    decorate()
  end, "take the last attachment away")
end

---@return integer
function M.buffer()
  if buffer and vim.api.nvim_buf_is_valid(buffer) then
    return buffer
  end
  buffer = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_name(buffer, "bowline://prompt")
  vim.bo[buffer].bufhidden = "hide"
  vim.bo[buffer].swapfile = false
  vim.bo[buffer].filetype = "bowlineprompt"
  vim.bo[buffer].omnifunc = "v:lua.require'bowline.complete'.omni"
  set_keys()
  local group = vim.api.nvim_create_augroup("bowline.prompt", {})
  vim.api.nvim_create_autocmd({ "TextChanged", "TextChangedI", "TextChangedP" }, {
    group = group,
    buffer = buffer,
    callback = function()
      decorate()
      require("bowline.complete").trigger(buffer)
    end,
  })
  decorate()
  return buffer
end

--- Opens the prompt below the chat and goes there.
function M.open()
  local window = windows.showing(M.buffer())
  if not window then
    local height = config.options.chat.prompt_height
    window = vim.api.nvim_open_win(buffer, true, { split = "below", win = chat.show(), height = height })
    windows.mark(window, "prompt")
    for name, value in pairs({
      number = false,
      relativenumber = false,
      signcolumn = "no",
      wrap = true,
      linebreak = true,
      winfixheight = true,
      winfixbuf = true,
      spell = false,
      statuscolumn = "",
      winbar = "",
    }) do
      vim.api.nvim_set_option_value(name, value, { scope = "local", win = window })
    end
  end
  vim.api.nvim_set_current_win(window)
  decorate()
  vim.cmd.startinsert({ bang = true })
end

function M.close()
  local window = buffer and vim.api.nvim_buf_is_valid(buffer) and windows.showing(buffer)
  if window then
    pcall(vim.api.nvim_win_close, window, true)
  end
end

--- Attaches something to the next prompt, and shows that.
---@param block bowline.Block
function M.attach(block)
  table.insert(M.attached, block)
  M.buffer()
  decorate()
end

session.on("suggestion", function(event)
  suggestion = event.text
  decorate()
end)
session.on("turn.started", function()
  suggestion = nil
  decorate()
end)
session.on("turn.ended", decorate)

return M
