--- `agent/editor/languageServer`: the agent asks the language servers that the user has anyway.

local await = require("bowline.await")
local client = require("bowline.client")
local position = require("bowline.position")

local M = {}

local METHODS = vim.fn.has("nvim-0.11") == 1
--- A server that starts now needs a moment before it can be asked.
local ATTACHED_WITHIN = 3000

local function supports(other, method, buffer)
  if METHODS then
    return other:supports_method(method, buffer)
  end
  return other.supports_method(method, { bufnr = buffer })
end

local function request(other, method, params, buffer, done)
  local function handler(problem, result)
    done(result, problem)
  end
  local sent
  if METHODS then
    sent = other:request(method, params, handler, buffer)
  else
    sent = other.request(method, params, handler, buffer)
  end
  if not sent then
    done(nil, { message = "it has stopped" })
  end
end

local function others(buffer, method)
  local own = client.get()
  return vim.iter(vim.lsp.get_clients({ bufnr = buffer })):filter(function(other)
    return not (own and other.id == own.id) and supports(other, method, buffer)
  end):totable()
end

--- The text of a line of any file, from the buffer where there is one.
local function line_reader()
  local files = {}
  return function(uri, row)
    local name = vim.uri_to_fname(uri)
    local buffer = vim.fn.bufnr(name)
    if buffer > 0 and vim.api.nvim_buf_is_loaded(buffer) then
      return position.line(buffer, row)
    end
    if not files[name] then
      files[name] = vim.fn.filereadable(name) == 1 and vim.fn.readfile(name) or {}
    end
    return files[name][row + 1] or ""
  end
end

--- An answer's ranges, counted anew. A range is about the nearest document above it.
local function recount(value, uri, from, to, line)
  if type(value) ~= "table" then
    return value
  end
  if value.start and value["end"] and value.start.line then
    return position.convert(value, function(row)
      return line(uri, row)
    end, from, to)
  end
  local document = value.textDocument and value.textDocument.uri
  uri = value.targetUri or value.uri or document or uri
  local result = vim.islist(value) and {} or vim.empty_dict()
  for key, inner in pairs(value) do
    -- In `changes` the document is the key.
    local of = type(key) == "string" and key:find("^%a[%w+.-]*:") and key or uri
    result[key] = recount(inner, of, from, to, line)
  end
  return result
end

--- Loads a file that is not open, so that its servers start as they would for the user.
local function load(uri, method)
  local buffer = vim.uri_to_bufnr(uri)
  if vim.api.nvim_buf_is_loaded(buffer) then
    return buffer
  end
  vim.fn.bufload(buffer)
  if vim.bo[buffer].filetype == "" then
    vim.bo[buffer].filetype = vim.filetype.match({ buf = buffer }) or ""
  end
  -- The server wants an answer, and this is a coroutine: waiting costs nobody anything.
  local deadline = vim.uv.now() + ATTACHED_WITHIN
  while #others(buffer, method) == 0 and vim.uv.now() < deadline do
    await.await(function(done)
      vim.defer_fn(done, 50)
    end)
  end
  return buffer
end

local function ask(other, method, params, uri, buffer)
  local own, theirs = client.encoding(), other.offset_encoding
  local line = line_reader()
  local sent = vim.deepcopy(params)
  if sent.position then
    local at = { start = sent.position, ["end"] = sent.position }
    sent.position = position.convert(at, function(row)
      return line(uri, row)
    end, own, theirs).start
  end
  local result, problem = await.await(function(done)
    request(other, method, sent, buffer, done)
  end)
  return result and recount(result, uri, theirs, own, line), problem
end

---@param params bowline.LanguageServerParams
function M.on_request(params)
  local method, uri = params.method, params.uri
  local buffer = load(uri, method)
  if method == "textDocument/diagnostic" then
    return { kind = "full", items = require("bowline.editor.diagnostics").items(buffer) }
  end
  local asked = others(buffer, method)
  if #asked == 0 then
    error("No language server of this editor answers " .. method .. ".")
  end
  -- Whoever has something to say first; lists of several are put together.
  local together, last
  for _, other in ipairs(asked) do
    local result, problem = ask(other, method, params.params, uri, buffer)
    last = problem or last
    if type(result) == "table" and vim.islist(result) then
      together = vim.list_extend(together or {}, result)
    elseif result ~= nil and result ~= vim.NIL then
      return result
    end
  end
  if together then
    return together
  end
  if last then
    error(last.message or "The language server gave no answer.")
  end
  return nil
end

return M
