--- A line about the session: for the statusline, and above the chat.

local session = require("bowline.session")

local M = {}

local function state()
  local permission = package.loaded["bowline.permission"]
  if permission and #permission.waiting > 0 then
    return "asks", "BowlineWaiting"
  end
  if not session.now.connected then
    return session.now.id and "stopped" or "no session yet", "BowlineDetail"
  end
  if session.is_busy() then
    return "works", "BowlineRunning"
  end
  return "ready", "BowlineDone"
end

local function context()
  local usage = session.now.usage
  return usage and usage.window > 0 and ("%d%%"):format(math.floor(usage.used * 100 / usage.window + 0.5)) or nil
end

local function parts()
  local now = session.now
  local hunks = package.loaded["bowline.hunks"]
  local list = { (state()) }
  if now.config then
    table.insert(list, now.config.model)
    if now.config.mode ~= "default" then
      table.insert(list, now.config.mode)
    end
  end
  table.insert(list, context())
  if now.usage and now.usage.costUsd > 0 then
    table.insert(list, ("$%.2f"):format(now.usage.costUsd))
  end
  if #now.queue > 0 then
    table.insert(list, ("%d waiting"):format(#now.queue))
  end
  if hunks and hunks.count() > 0 then
    table.insert(list, ("%d to review"):format(hunks.count()))
  end
  return list
end

--- For 'statusline': what goes on, in a few words; nothing before there is a session.
---@return string
function M.line()
  if not session.now.id then
    return ""
  end
  return ("bowline: " .. table.concat(parts(), " · ")):gsub("%%", "%%%%")
end

--- For the chat's 'winbar'.
---@return string
function M.winbar()
  local _, group = state()
  local title = session.now.title or "Bowline"
  local words = table.concat(parts(), " · ")
  local line = ("%%#%s#●%%* %s%%=%s "):format(group, title:gsub("%%", "%%%%"), words:gsub("%%", "%%%%"))
  return line
end

local REDRAWS = {
  "turn.started",
  "turn.ended",
  "config.updated",
  "queue.updated",
  "usage.updated",
  "session.updated",
  "hunk.added",
  "hunk.resolved",
  "bowline.opened",
  "bowline.closed",
}
for _, type in ipairs(REDRAWS) do
  session.on(type, function()
    vim.cmd.redrawstatus({ bang = true })
  end)
end

return M
