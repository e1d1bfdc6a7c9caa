--- Bowline, the coding agent, in Neovim. `setup()` says how, `ask()` says what.

local M = {}

local NEEDED = "nvim-0.10"

--- Whether `setup` was called; commands work without it, as everything has a default.
local is_set_up = false

local function attach(event)
  local client = require("bowline.client")
  if client.get() then
    client.attach(event.buf)
  elseif vim.bo[event.buf].buftype == "" and vim.api.nvim_buf_get_name(event.buf) ~= "" then
    -- Only for what is inside a project; a note in /tmp needs no agent.
    local config = require("bowline.config")
    local name = vim.api.nvim_buf_get_name(event.buf)
    if config.options.autostart and vim.fs.root(name, config.options.root_markers) then
      client.start()
    end
  end
end

local function watch()
  local group = vim.api.nvim_create_augroup("bowline", {})
  vim.api.nvim_create_autocmd({ "BufReadPost", "BufNewFile", "BufFilePost", "FileType" }, {
    group = group,
    callback = attach,
  })
  vim.api.nvim_create_autocmd("BufModifiedSet", {
    group = group,
    callback = function(event)
      local client = require("bowline.client")
      if client.is_attached(event.buf) then
        local dirty = vim.bo[event.buf].modified
        client.notify("agent/editor/dirty", { uri = vim.uri_from_bufnr(event.buf), dirty = dirty })
      end
    end,
  })
  vim.api.nvim_create_autocmd("ColorScheme", {
    group = group,
    callback = function()
      require("bowline.highlights").define()
    end,
  })
end

--- Says how Bowline shall work here; see |bowline-options|.
---@param options? bowline.Options
function M.setup(options)
  if vim.fn.has(NEEDED) == 0 then
    return vim.notify("bowline needs Neovim 0.10 or newer", vim.log.levels.ERROR)
  end
  require("bowline.config").set(options)
  is_set_up = true
  require("bowline.highlights").define()
  -- These listen from the first event on.
  require("bowline.chat")
  require("bowline.hunks")
  require("bowline.inline")
  require("bowline.permission")
  require("bowline.status")
  require("bowline.editor.diagnostics").setup()
  require("bowline.focus").setup()
  require("bowline.commands").define()
  watch()
  -- What was open before.
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buffer) then
      attach({ buf = buffer })
    end
  end
end

--- Sets up with what was said in `vim.g.bowline`, for who did not call `setup`.
function M.ready()
  if not is_set_up then
    M.setup(vim.g.bowline)
  end
end

---@class bowline.AskOptions
---@field range? { first: integer, last: integer } Lines of the current buffer, from zero, to go along.
---@field attached? bowline.Block[]
---@field delivery? bowline.Delivery
---@field show? boolean False: the chat is not opened.

--- Asks; what is said is seen in the chat.
---@param text string
---@param options? bowline.AskOptions
---@param callback? fun(result: bowline.SessionPromptResult?, problem: any)
function M.ask(text, options, callback)
  M.ready()
  options = options or {}
  if vim.trim(text or "") == "" then
    if options.range then
      local block = require("bowline.attachments").lines(0, options.range.first, options.range.last)
      if block then
        require("bowline.prompt").attach(block)
      end
    end
    return require("bowline.prompt").open()
  end
  local client, session = require("bowline.client"), require("bowline.session")
  local buffer = vim.api.nvim_get_current_buf()
  if options.show ~= false then
    require("bowline.chat").show()
  end
  session.ensure(function(id, problem)
    if not id then
      client.tell(problem)
      return callback and callback(nil, problem)
    end
    local content = vim.list_extend({}, options.attached or {})
    if options.range then
      client.attach(buffer)
      local block = require("bowline.attachments").lines(buffer, options.range.first, options.range.last)
      if not block then
        return callback and callback(nil, { message = "not shared" })
      end
      table.insert(content, block)
    end
    table.insert(content, { type = "text", text = text })
    session.prompt(content, options.delivery, function(result, refused)
      if not refused and result.disposition == "queued" then
        vim.notify("bowline: it waits for the end of the turn (:Bowline queue)")
      end
      if callback then
        callback(result, refused)
      end
    end)
  end)
end

--- For 'statusline': `%{%v:lua.require'bowline'.statusline()%}`.
---@return string
function M.statusline()
  return require("bowline.status").line()
end

--- Starts or stops telling the model what you look at. Without a word it says how things are.
---@param state? "on"|"off"|""
function M.share(state)
  local config, focus = require("bowline.config"), require("bowline.focus")
  if state == "on" and not config.options.share.focus then
    -- The server was started without it, and takes nobody's word for it later.
    config.options.share.focus = true
    focus.share(true)
    M.restart()
  elseif state == "on" or state == "off" then
    focus.share(state == "on")
  end
  vim.notify(("bowline: what you look at is %s"):format(focus.on and "shared" or "not shared"))
end

--- Starts the server anew.
function M.restart()
  local client = require("bowline.client")
  if not client.get() then
    return client.start()
  end
  client.stop()
  local tries = 0
  local function again()
    tries = tries + 1
    if not client.exists() then
      client.start(function()
        require("bowline.session").ensure(function() end)
      end)
    elseif tries < 200 then
      vim.defer_fn(again, 50)
    end
  end
  vim.defer_fn(again, 50)
end

--- Stops the server.
function M.stop()
  require("bowline.client").stop()
end

return M
