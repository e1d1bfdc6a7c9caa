--- Stored sessions: look for one, go on with it, copy it, rename it, throw it away.

local await = require("bowline.await")
local client = require("bowline.client")
local session = require("bowline.session")

local M = {}

--- As many as anybody scrolls through.
local MOST = 200

--- Waits for a session; nothing when there is none to be had, which was told then.
local function needed()
  local id, problem = await.await(session.ensure)
  if not id then
    client.tell(problem)
  end
  return id
end

local function started()
  local running, problem = await.await(client.start)
  if not running then
    client.tell({ message = problem })
  end
  return running ~= nil
end

local function ago(at)
  local seconds = math.max(0, os.time() - at / 1000)
  for _, unit in ipairs({ { 86400, "d" }, { 3600, "h" }, { 60, "min" } }) do
    if seconds >= unit[1] then
      return ("%d %s ago"):format(seconds / unit[1], unit[2])
    end
  end
  return "now"
end

---@param info bowline.SessionInfo
local function describe(info)
  local title = info.title ~= "" and info.title or "(untitled)"
  local branch = info.branch and (" · " .. info.branch) or ""
  local live = info.live and " · " .. info.status or ""
  return ("%s  %s · %d messages%s%s"):format(title, ago(info.updatedAt), info.messages, branch, live)
end

--- Lets the user choose one of the folder's sessions.
---@param prompt string
---@param query? string
---@return bowline.SessionInfo?
local function choose(prompt, query)
  if not started() then
    return nil
  end
  local found, cursor = {}, nil
  repeat
    local page, problem = client.call("agent/session/list", { cwd = client.root, query = query, cursor = cursor })
    if problem then
      client.tell(problem)
      return nil
    end
    vim.list_extend(found, page.sessions)
    cursor = page.next
  until not cursor or #found >= MOST
  if #found == 0 then
    vim.notify("bowline: no session of this folder " .. (query and "has these words" or "is stored"))
    return nil
  end
  return (await.select(found, { prompt = prompt, kind = "bowline.session", format = describe }))
end

local function open(id)
  local _, problem = await.await(function(done)
    session.attach(id, done)
  end)
  if problem then
    return client.tell(problem)
  end
  require("bowline.chat").show()
end

--- Goes on with a stored session.
---@param query? string
function M.resume(query)
  await.run(function()
    local info = choose("Go on with", query ~= "" and query or nil)
    if info then
      open(info.sessionId)
    end
  end)
end

--- Begins another session.
function M.new()
  await.run(function()
    if not started() then
      return
    end
    local _, problem = await.await(session.new)
    if problem then
      return client.tell(problem)
    end
    require("bowline.chat").show()
    require("bowline.prompt").open()
  end)
end

--- Copies the session and goes on in the copy.
function M.fork()
  await.run(function()
    local id = needed()
    if not id then
      return
    end
    local copy, problem = client.call("agent/session/fork", { sessionId = id })
    if problem then
      return client.tell(problem)
    end
    open(copy.sessionId)
    vim.notify("bowline: this is the copy; the original is as it was")
  end)
end

---@param title? string
function M.rename(title)
  await.run(function()
    local id = needed()
    if not id then
      return
    end
    if not title or title == "" then
      title = await.input({ prompt = "Title: ", default = session.now.title })
    end
    if title and title ~= "" then
      local _, problem = client.call("agent/session/rename", { sessionId = id, title = title })
      if problem then
        client.tell(problem)
      end
    end
  end)
end

function M.delete()
  await.run(function()
    local info = choose("Delete for good")
    if not info then
      return
    end
    local sure = await.select({ "Keep it", "Delete it" }, { prompt = describe(info) })
    if sure ~= "Delete it" then
      return
    end
    local _, problem = client.call("agent/session/delete", { sessionId = info.sessionId })
    if problem then
      return client.tell(problem)
    end
    vim.notify("bowline: deleted")
  end)
end

--- Writes the conversation to a file.
---@param path? string
function M.export(path)
  await.run(function()
    local id = needed()
    if not id then
      return
    end
    local params = { sessionId = id, format = "markdown" }
    if path and path ~= "" then
      params.path = vim.fn.fnamemodify(path, ":p")
    end
    local result, problem = client.call("agent/session/export", params)
    if problem then
      return client.tell(problem)
    end
    if result.path then
      return vim.notify("bowline: written to " .. result.path)
    end
    local buffer = vim.api.nvim_create_buf(true, false)
    vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(result.content, "\n"))
    vim.bo[buffer].filetype = "markdown"
    require("bowline.windows").edit(buffer)
  end)
end

return M
