--- The chat: one buffer with the conversation, and the windows it is shown in.

local config = require("bowline.config")
local session = require("bowline.session")
local windows = require("bowline.windows")

local M = {}

---@type bowline.View?
M.view = nil
---@type bowline.Transcript?
M.transcript = nil

local function start_highlighting(buffer)
  vim.treesitter.language.register("markdown", "bowline")
  if not pcall(vim.treesitter.start, buffer, "markdown") then
    vim.bo[buffer].syntax = "markdown"
  end
end

local function map(buffer, keys, action, what)
  vim.keymap.set("n", keys, action, { buffer = buffer, desc = "Bowline: " .. what, nowait = true })
end

--- Where the next or previous prompt begins.
local function jump(backwards)
  vim.fn.search("^❯ ", backwards and "bW" or "W")
end

local function set_keys(buffer)
  map(buffer, "i", function()
    require("bowline.prompt").open()
  end, "write a prompt")
  map(buffer, "a", function()
    require("bowline.prompt").open()
  end, "write a prompt")
  map(buffer, "<C-c>", function()
    session.cancel()
  end, "stop")
  map(buffer, "]]", function()
    jump(false)
  end, "the next prompt")
  map(buffer, "[[", function()
    jump(true)
  end, "the prompt before")
  map(buffer, "<Tab>", "za", "open or close a fold")
  map(buffer, "q", function()
    M.close()
  end, "close the chat")
  map(buffer, "g?", "<Cmd>help bowline-chat<CR>", "help")
end

--- The buffer, made when it is first needed.
---@return integer
function M.buffer()
  if M.view and vim.api.nvim_buf_is_valid(M.view.buffer) then
    return M.view.buffer
  end
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_name(buffer, "bowline://chat")
  vim.bo[buffer].bufhidden = "hide"
  vim.bo[buffer].swapfile = false
  vim.bo[buffer].undolevels = -1
  vim.bo[buffer].modifiable = false
  vim.bo[buffer].filetype = "bowline"
  start_highlighting(buffer)
  set_keys(buffer)
  M.view = require("bowline.chat.view").new(buffer)
  M.transcript = require("bowline.chat.transcript").new(M.view)
  return buffer
end

local function dress(window)
  local options = {
    wrap = true,
    linebreak = true,
    breakindent = true,
    number = false,
    relativenumber = false,
    signcolumn = "no",
    foldcolumn = "0",
    spell = false,
    list = false,
    cursorline = false,
    conceallevel = 2,
    foldenable = true,
    foldlevel = 0,
    foldmethod = "expr",
    foldexpr = "v:lua.require'bowline.chat.folds'.level()",
    foldtext = "v:lua.require'bowline.chat.folds'.text()",
    fillchars = "fold: ,eob: ",
    winfixbuf = true,
    winfixwidth = config.options.chat.position ~= "below",
    winfixheight = config.options.chat.position == "below",
    winbar = "%{%v:lua.require'bowline.status'.winbar()%}",
  }
  for name, value in pairs(options) do
    vim.api.nvim_set_option_value(name, value, { scope = "local", win = window })
  end
end

local function size(total)
  local wanted = config.options.chat.size
  return math.max(20, math.floor(wanted < 1 and total * wanted or wanted))
end

--- The chat's window of this tab page.
---@return integer?
function M.window()
  return M.view and windows.showing(M.view.buffer)
end

--- Shows the chat; the caret stays where it is.
---@return integer window
function M.show()
  local buffer = M.buffer()
  local window = M.window()
  if window then
    return window
  end
  local position = config.options.chat.position
  if position == "tab" then
    vim.cmd("tab split")
    window = vim.api.nvim_get_current_win()
    vim.api.nvim_win_set_buf(window, buffer)
  elseif position == "below" then
    window = vim.api.nvim_open_win(buffer, false, { split = "below", win = -1, height = size(vim.o.lines) })
  else
    window = vim.api.nvim_open_win(buffer, false, { split = position, win = -1, width = size(vim.o.columns) })
  end
  windows.mark(window, "chat")
  dress(window)
  vim.api.nvim_win_set_cursor(window, { vim.api.nvim_buf_line_count(buffer), 0 })
  return window
end

--- Closes the chat and its prompt; the conversation goes on.
function M.close()
  require("bowline.prompt").close()
  local window = M.window()
  if not window then
    return
  end
  -- The last window of Neovim cannot be closed, so it shows something else.
  if not pcall(vim.api.nvim_win_close, window, true) then
    vim.wo[window].winfixbuf = false
    vim.api.nvim_win_set_buf(window, vim.api.nvim_create_buf(true, false))
    vim.w[window].bowline = nil
  end
end

function M.toggle()
  if M.window() then
    M.close()
  else
    M.show()
    require("bowline.prompt").open()
  end
end

--- What was said so far, kept also while no window shows it.
session.on("*", function(event)
  M.buffer()
  if event.type == "bowline.opened" then
    if event.snapshot then
      M.transcript:load(event.snapshot)
    else
      M.transcript:reset()
    end
  else
    M.transcript:take(event)
  end
end)

return M
