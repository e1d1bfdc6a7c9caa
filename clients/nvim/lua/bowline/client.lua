--- The one connection to the server: started when it is needed, found by its name afterwards.

local config = require("bowline.config")
local consent = require("bowline.consent")

local M = {}

local NAME = "bowline"
-- From 0.11 on a client's functions are methods.
local METHODS = vim.fn.has("nvim-0.11") == 1

--- Who waits for the server's first answer.
---@type fun(client: vim.lsp.Client?, problem: string?)[]
local waiting = {}
--- Started, and not gone yet.
local starting = false

--- The folder of the running client.
---@type string?
M.root = nil

local function settle(client, problem)
  local callbacks = waiting
  waiting = {}
  for _, callback in ipairs(callbacks) do
    callback(client, problem)
  end
end

---@return vim.lsp.Client?
function M.get()
  local client = vim.lsp.get_clients({ name = NAME })[1]
  if client and client.initialized and not M.is_stopped(client) then
    return client
  end
end

--- Whether there is a process, be it ready or not.
---@return boolean
function M.exists()
  return starting
end

---@param client vim.lsp.Client
function M.is_stopped(client)
  if METHODS then
    return client:is_stopped()
  end
  return client.is_stopped()
end

--- Where a session works: around the file, or where Neovim is.
---@param buffer? integer
---@return string
function M.folder(buffer)
  buffer = buffer or vim.api.nvim_get_current_buf()
  if config.options.root then
    local root = config.options.root(buffer)
    if root then
      return vim.fs.normalize(root)
    end
  end
  local cwd = assert(vim.uv.cwd())
  local name = vim.api.nvim_buf_get_name(buffer)
  local from = (vim.bo[buffer].buftype == "" and name ~= "") and name or cwd
  return vim.fs.root(from, config.options.root_markers) or vim.fs.root(cwd, config.options.root_markers) or cwd
end

---@return bowline.ClientCapabilities
local function agent()
  return {
    version = 1,
    permission = true,
    ask = true,
    diff = config.options.permission.show_diff,
    suggestion = config.options.suggestions,
    editor = {
      apply = true,
      save = true,
      reveal = true,
      text = true,
      diagnostics = config.options.share.diagnostics,
      focus = config.options.share.focus,
      languageServer = true,
    },
  }
end

--- The command, with what was agreed to share and to keep back: so it holds for every session from its
--- first moment on.
local function command()
  local cmd = vim.deepcopy(config.options.cmd)
  local settings = {}
  if config.options.share.focus then
    settings.shareEditorFocus = true
  end
  local rules = consent.rules()
  if #rules > 0 then
    settings.permissions = { deny = rules }
  end
  if next(settings) and not vim.tbl_contains(cmd, "--settings") then
    vim.list_extend(cmd, { "--settings", vim.json.encode(settings) })
  end
  return cmd
end

local function on_exit(code, signal)
  vim.schedule(function()
    M.root, starting = nil, false
    settle(nil, "The server has stopped.")
    require("bowline.session").disconnected()
    if code ~= 0 or signal ~= 0 then
      local log = vim.lsp.log.get_filename()
      vim.notify(("bowline: the server ended with %d; see %s"):format(code ~= 0 and code or signal, log), vim.log.levels.ERROR)
    end
  end)
end

---@param root string
---@return vim.lsp.ClientConfig
local function client_config(root)
  local capabilities = vim.lsp.protocol.make_client_capabilities()
  capabilities.experimental = vim.tbl_extend("force", capabilities.experimental or {}, { agent = agent() })
  return {
    name = NAME,
    cmd = command(),
    cmd_env = config.options.env,
    root_dir = root,
    capabilities = capabilities,
    handlers = require("bowline.handlers").table(),
    flags = { debounce_text_changes = 50 },
    on_init = function(client)
      vim.schedule(function()
        settle(client)
        M.attach_all()
        require("bowline.follow").tell()
      end)
    end,
    on_exit = on_exit,
  }
end

--- Starts a client that has no buffer yet.
---@return integer?
local function launch(options)
  if METHODS then
    return vim.lsp.start(options, {
      attach = false,
      reuse_client = function()
        return false
      end,
    })
  end
  ---@diagnostic disable-next-line: deprecated
  return (vim.lsp.start_client(options))
end

--- Starts the server, unless it runs; `callback` gets the client, or why there is none.
---@param callback? fun(client: vim.lsp.Client?, problem: string?)
function M.start(callback)
  local running = M.get()
  if running then
    if callback then
      callback(running)
    end
    return
  end
  table.insert(waiting, callback or function() end)
  -- Neovim does not list a client before its first answer, so we remember that there is one.
  if starting then
    return
  end
  local program = config.options.cmd[1]
  if vim.fn.executable(program) == 0 then
    return settle(nil, ("There is no program %q; install Bowline, or set the option cmd."):format(program))
  end
  M.root = M.folder()
  starting = true
  local id = launch(client_config(M.root))
  if not id then
    starting = false
    settle(nil, ("%q could not be started; see :checkhealth bowline"):format(program))
  end
end

---@param buffer integer
function M.attach(buffer)
  local client = M.get()
  if not client or not M.root or not vim.api.nvim_buf_is_valid(buffer) then
    return
  end
  if consent.allows(buffer, M.root) and not vim.lsp.buf_is_attached(buffer, client.id) then
    vim.lsp.buf_attach_client(buffer, client.id)
    vim.api.nvim_exec_autocmds("User", { pattern = "BowlineAttached", data = { buffer = buffer } })
  end
end

function M.attach_all()
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    M.attach(buffer)
  end
end

---@param buffer integer
function M.is_attached(buffer)
  local client = M.get()
  return client ~= nil and vim.lsp.buf_is_attached(buffer, client.id)
end

--- The version the server and the editor agree on for a buffer.
function M.version(buffer)
  return vim.lsp.util.buf_versions[buffer]
end

--- Sends a request; `callback(result, problem)`. What was typed in `buffer` goes first.
---@param method string
---@param params table
---@param callback? fun(result: any, problem?: lsp.ResponseError)
---@param buffer? integer
---@return boolean sent
function M.request(method, params, callback, buffer)
  local client = M.get()
  if not client then
    if callback then
      callback(nil, { code = 0, message = "The server does not run." })
    end
    return false
  end
  local function handler(problem, result)
    if callback then
      callback(result, problem)
    elseif problem then
      M.tell(problem)
    end
  end
  -- Before a request about a buffer Neovim sends what was typed there.
  buffer = buffer or vim.api.nvim_get_current_buf()
  if METHODS then
    return (client:request(method, params, handler, buffer))
  end
  return (client.request(method, params, handler, buffer))
end

--- The same inside a coroutine: gives the result, or nothing and the problem.
---@param method string
---@param params table
---@return any result, lsp.ResponseError? problem
function M.call(method, params)
  return require("bowline.await").await(function(done)
    M.request(method, params, done)
  end)
end

---@param method string
---@param params table
function M.notify(method, params)
  local client = M.get()
  if not client then
    return
  end
  if METHODS then
    client:notify(method, params)
  else
    client.notify(method, params)
  end
end

--- Tells the user what a request failed with.
function M.tell(problem)
  vim.notify("bowline: " .. (problem.message or tostring(problem)), vim.log.levels.ERROR)
end

---@return string
function M.encoding()
  local client = M.get()
  return client and client.offset_encoding or "utf-16"
end

function M.stop()
  local client = vim.lsp.get_clients({ name = NAME })[1]
  if not client then
    return
  end
  if METHODS then
    client:stop()
  else
    client.stop()
  end
end

return M
