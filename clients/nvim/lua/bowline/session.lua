--- The session that this editor talks to: what is known about it, and who wants to hear of it.

local client = require("bowline.client")
local config = require("bowline.config")
local consent = require("bowline.consent")

local M = {}

---@class bowline.Known
---@field id? string
---@field cwd? string
---@field seq integer
---@field config? bowline.Config
---@field commands bowline.Command[]
---@field agents bowline.AgentInfo[]
---@field title? string
---@field status string
---@field turn? string
---@field usage? bowline.ContextUsage
---@field queue bowline.QueuedPrompt[]
---@field connected boolean

---@type bowline.Known
M.now = { seq = 0, commands = {}, agents = {}, status = "idle", queue = {}, connected = false }

--- What was sent with each message, to be shown beside it.
---@type table<string, bowline.Block[]>
M.sent = {}

---@type table<string, fun(event: table)[]>
local listeners = {}
---@type fun(id: string?, problem: any)[]
local waiting = {}
local opening = false
--- Events that came before the answer that names their session, or while a gap is filled.
local held = nil

--- Calls `listener(event)` for each event of this type, `*` for all.
function M.on(type, listener)
  listeners[type] = listeners[type] or {}
  table.insert(listeners[type], listener)
end

local function tell(event)
  for _, name in ipairs({ event.type, "*" }) do
    for _, listener in ipairs(listeners[name] or {}) do
      local ok, problem = pcall(listener, event)
      if not ok then
        vim.notify("bowline: " .. tostring(problem), vim.log.levels.ERROR)
      end
    end
  end
end

--- Something about the session changed that is no event of the server's.
local function announce(type, fields)
  tell(vim.tbl_extend("force", { type = type, sessionId = M.now.id }, fields or {}))
end

local KEEPS = {
  ["turn.started"] = function(now, event)
    now.turn, now.status = event.turnId, "running"
  end,
  ["turn.ended"] = function(now)
    now.turn, now.status = nil, "idle"
  end,
  ["config.updated"] = function(now, event)
    now.config = event.config
  end,
  ["commands.updated"] = function(now, event)
    now.commands, now.agents = event.commands, event.agents or now.agents
  end,
  ["queue.updated"] = function(now, event)
    now.queue = event.queue
  end,
  ["usage.updated"] = function(now, event)
    now.usage = { used = event.used, window = event.window, costUsd = event.costUsd }
  end,
  ["session.updated"] = function(now, event)
    now.title, now.status = event.title or now.title, event.status or now.status
  end,
}

local function take(event)
  M.now.seq = event.seq
  local keep = KEEPS[event.type]
  if keep then
    keep(M.now, event)
  end
  tell(event)
  if event.type == "session.unrewound" or (event.type == "session.rewound" and event.what ~= "files") then
    M.attach(event.sessionId)
  end
end

local function take_held()
  local events = held or {}
  held = nil
  for _, event in ipairs(events) do
    M.on_event(event)
  end
end

--- Asks for the events that did not come.
local function fill_gap()
  held = {}
  local now = M.now
  client.request("agent/session/attach", { sessionId = now.id, since = now.seq }, function(result, problem)
    if problem or M.now.id ~= now.id then
      return take_held()
    end
    if result.snapshot then
      M.show(result)
    else
      vim.iter(result.events):each(take)
    end
    take_held()
  end)
end

---@param event table
function M.on_event(event)
  if held then
    table.insert(held, event)
  elseif event.sessionId ~= M.now.id then
    -- Changes are shown whoever made them; the rest is the other session's.
    if vim.startswith(event.type, "hunk.") then
      tell(event)
    end
  elseif event.seq > M.now.seq + 1 then
    fill_gap()
    table.insert(held, event)
  elseif event.seq > M.now.seq then
    take(event)
  end
end

local function settle(id, problem)
  opening = false
  local callbacks = waiting
  waiting = {}
  for _, callback in ipairs(callbacks) do
    callback(id, problem)
  end
end

--- What the user keeps back is kept back by the agent's tools as well.
local function withhold(id, done)
  local rules = consent.rules()
  local left = #rules
  if left == 0 then
    return done()
  end
  for _, rule in ipairs(rules) do
    local params = { op = "add", rule = rule, behavior = "deny", scope = "session", sessionId = id }
    client.request("agent/permission/rules", params, function(_, problem)
      if problem then
        vim.notify(("bowline: %s could not be kept back: %s"):format(rule, problem.message), vim.log.levels.ERROR)
      end
      left = left - 1
      if left == 0 then
        done()
      end
    end)
  end
end

local function begun(result, cwd)
  M.now = {
    id = result.sessionId,
    cwd = cwd,
    seq = result.seq,
    config = result.config,
    commands = result.commands or {},
    agents = result.agents or {},
    status = "idle",
    queue = {},
    connected = true,
  }
end

--- The id of the session, made if there is none; `callback(id, problem)`.
---@param callback fun(id: string?, problem: any)
function M.ensure(callback)
  if M.now.id and M.now.connected then
    return callback(M.now.id)
  end
  table.insert(waiting, callback)
  if opening then
    return
  end
  opening = true
  client.start(function(running, problem)
    if not running then
      return settle(nil, { message = problem })
    end
    if M.now.id then
      return M.attach(M.now.id, settle)
    end
    M.new(settle)
  end)
end

--- Begins another session.
---@param callback? fun(id: string?, problem: any)
function M.new(callback)
  local cwd = client.root or client.folder()
  local params = vim.tbl_extend("force", { cwd = cwd }, config.options.session)
  held = {}
  M.leave()
  client.request("agent/session/new", params, function(result, problem)
    if problem then
      take_held()
      if callback then
        return callback(nil, problem)
      end
      return client.tell(problem)
    end
    begun(result, cwd)
    announce("bowline.opened", {})
    take_held()
    withhold(result.sessionId, function()
      if callback then
        callback(result.sessionId)
      end
    end)
  end)
end

--- Takes over what an answer to `attach` says.
---@param result bowline.SessionAttachResult
function M.show(result)
  local snapshot = result.snapshot
  begun(result, M.now.cwd)
  if snapshot then
    M.now.title, M.now.usage, M.now.turn = snapshot.title, snapshot.usage, snapshot.turnId
    M.now.status = snapshot.turnId and "running" or "idle"
  end
  announce("bowline.opened", { snapshot = snapshot })
  for _, pending in ipairs(result.pending or {}) do
    announce("bowline.pending", { pending = pending })
  end
end

--- Loads a session, or joins one that runs.
---@param id string
---@param callback? fun(id: string?, problem: any)
function M.attach(id, callback)
  held = held or {}
  if M.now.id and M.now.id ~= id then
    M.leave()
  end
  client.request("agent/session/attach", { sessionId = id }, function(result, problem)
    if problem then
      take_held()
      if callback then
        return callback(nil, problem)
      end
      return client.tell(problem)
    end
    M.show(result)
    take_held()
    client.request("agent/review/list", { sessionId = result.sessionId }, function(list)
      announce("bowline.hunks", { hunks = list and list.hunks or {} })
    end)
    withhold(result.sessionId, function()
      if callback then
        callback(result.sessionId)
      end
    end)
  end)
end

--- Goes away from the session; it goes on without us.
function M.leave()
  local id = M.now.id
  if id and M.now.connected then
    client.request("agent/session/detach", { sessionId = id }, function() end)
  end
  M.now = { seq = 0, commands = {}, agents = {}, status = "idle", queue = {}, connected = false }
end

--- The server is gone; the session is stored, and is opened again with the next prompt.
function M.disconnected()
  opening, held = false, nil
  if M.now.id then
    M.now.connected, M.now.turn, M.now.status = false, nil, "idle"
    announce("bowline.closed", {})
  end
end

--- Sends a prompt.
---@param content bowline.Block[]
---@param delivery? bowline.Delivery
---@param callback? fun(result: bowline.SessionPromptResult?, problem: any)
function M.prompt(content, delivery, callback)
  M.ensure(function(id, problem)
    if not id then
      client.tell(problem)
      return callback and callback(nil, problem)
    end
    local params = { sessionId = id, content = content, delivery = delivery }
    client.request("agent/session/prompt", params, function(result, refused)
      if refused then
        announce("bowline.refused", { message = refused.message })
      else
        M.sent[result.messageId] = content
      end
      if callback then
        callback(result, refused)
      end
    end, vim.api.nvim_get_current_buf())
  end)
end

--- Stops the turn; `callback(state)`.
function M.cancel(callback)
  if not M.now.id then
    return
  end
  client.request("agent/session/cancel", { sessionId = M.now.id }, function(result, problem)
    if problem then
      client.tell(problem)
    elseif callback then
      callback(result.state)
    end
  end)
end

---@return boolean
function M.is_busy()
  return M.now.turn ~= nil
end

return M
