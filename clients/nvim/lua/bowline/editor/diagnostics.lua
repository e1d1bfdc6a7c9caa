--- What other language servers and linters find goes to the server, with the version it is about.

local client = require("bowline.client")
local config = require("bowline.config")
local position = require("bowline.position")

local M = {}

--- What a server said its last report is about: client id → buffer → version.
---@type table<integer, table<integer, integer>>
local versions = {}
--- The version a buffer had when it was opened: whatever is found before it changes is about that.
---@type table<integer, integer>
local opened = {}
--- Sources that reported something, so that an empty report follows when all is well.
---@type table<integer, table<string, boolean>>
local reported = {}
local queued = {}

--- `vim.lsp.NAME.ID…` on 0.10, `nvim.lsp.NAME.ID…` since.
local function source_of(namespace)
  local name = vim.diagnostic.get_namespace(namespace).name or ""
  local server, id = name:match("^n?vim%.lsp%.(.+)%.(%d+)")
  if not server then
    return name ~= "" and name or "editor", nil
  end
  return server, tonumber(id)
end

---@param found vim.Diagnostic
---@return bowline.Diagnostic
local function item(buffer, found, encoding)
  local bottom = vim.api.nvim_buf_line_count(buffer) - 1
  local first = math.min(found.lnum, bottom)
  local last = math.min(found.end_lnum or found.lnum, bottom)
  local of_server = vim.tbl_get(found, "user_data", "lsp") or {}
  return {
    range = position.range(buffer, first, found.col, last, found.end_col or found.col, encoding),
    severity = found.severity,
    message = found.message,
    source = found.source,
    code = found.code,
    data = of_server.data,
    tags = of_server.tags,
  }
end

--- Everything found in a buffer, by whomever.
---@param buffer integer
---@return bowline.Diagnostic[]
function M.items(buffer)
  local encoding = client.encoding()
  return vim.iter(vim.diagnostic.get(buffer)):map(function(found)
    return item(buffer, found, encoding)
  end):totable()
end

--- The version of a report; nothing where nobody knows, which is better than a guess.
local function version_of(buffer, id)
  local said = id and versions[id] and versions[id][buffer]
  if said then
    return said
  end
  local now = client.version(buffer)
  return opened[buffer] == now and now or vim.NIL
end

local function send(buffer)
  queued[buffer] = nil
  if not vim.api.nvim_buf_is_valid(buffer) or not client.is_attached(buffer) then
    return
  end
  local own = client.get()
  local encoding = client.encoding()
  ---@type table<string, { id?: integer, items: table[] }>
  local sources = {}
  for source in pairs(reported[buffer] or {}) do
    sources[source] = { items = {} }
  end
  for _, found in ipairs(vim.diagnostic.get(buffer)) do
    local source, id = source_of(found.namespace)
    if not (own and id == own.id) then
      sources[source] = sources[source] or { items = {} }
      sources[source].id = id
      table.insert(sources[source].items, item(buffer, found, encoding))
    end
  end
  -- A server that looked and found nothing has something to say, too.
  for id, seen in pairs(versions) do
    local other = seen[buffer] and vim.lsp.get_client_by_id(id)
    if other then
      sources[other.name] = sources[other.name] or { items = {} }
      sources[other.name].id = id
    end
  end
  reported[buffer] = {}
  for source, report in pairs(sources) do
    reported[buffer][source] = true
    client.notify("agent/editor/diagnostics", {
      uri = vim.uri_from_bufnr(buffer),
      version = version_of(buffer, report.id),
      source = source,
      items = report.items,
    })
  end
end

local function queue(buffer)
  if config.options.share.diagnostics and not queued[buffer] then
    queued[buffer] = true
    vim.schedule(function()
      send(buffer)
    end)
  end
end

local function note(id, buffer, version)
  local own = client.get()
  if buffer and version and not (own and own.id == id) then
    versions[id] = versions[id] or {}
    versions[id][buffer] = version
    queue(buffer)
  end
end

--- Neovim does not keep which version a report was about, so we listen in on the way.
local function listen()
  local push = assert(vim.lsp.handlers["textDocument/publishDiagnostics"])
  vim.lsp.handlers["textDocument/publishDiagnostics"] = function(problem, result, context, ...)
    if result and result.uri then
      local buffer = vim.fn.bufnr(vim.uri_to_fname(result.uri))
      if buffer > 0 then
        note(context.client_id, buffer, result.version)
      end
    end
    return push(problem, result, context, ...)
  end
  local pull = vim.lsp.handlers["textDocument/diagnostic"]
  if pull then
    vim.lsp.handlers["textDocument/diagnostic"] = function(problem, result, context, ...)
      if result and not problem then
        note(context.client_id, context.bufnr, context.version)
      end
      return pull(problem, result, context, ...)
    end
  end
end

function M.setup()
  local group = vim.api.nvim_create_augroup("bowline.diagnostics", {})
  vim.api.nvim_create_autocmd("DiagnosticChanged", {
    group = group,
    callback = function(event)
      queue(event.buf)
    end,
  })
  vim.api.nvim_create_autocmd("User", {
    group = group,
    pattern = "BowlineAttached",
    callback = function(event)
      local buffer = event.data.buffer
      opened[buffer] = client.version(buffer)
      queue(buffer)
    end,
  })
  vim.api.nvim_create_autocmd("BufWipeout", {
    group = group,
    callback = function(event)
      opened[event.buf], reported[event.buf] = nil, nil
      for _, seen in pairs(versions) do
        seen[event.buf] = nil
      end
    end,
  })
  if not M.listens then
    M.listens = true
    listen()
  end
end

return M
