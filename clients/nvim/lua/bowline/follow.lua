--- Following the agent: the server is told that the user wants it, and then says where to look
--- (`agent/editor/reveal`).

local client = require("bowline.client")
local config = require("bowline.config")

local M = {}

--- Tells a server that has just started; it follows nobody by itself.
function M.tell()
  if config.options.follow then
    client.notify("agent/editor/follow", { on = true })
  end
end

--- Switches it; without a word, says how things are.
---@param state? "on"|"off"|""
function M.set(state)
  if state == "on" or state == "off" then
    config.options.follow = state == "on"
    client.notify("agent/editor/follow", { on = config.options.follow })
  end
  vim.notify("bowline: the agent is " .. (config.options.follow and "followed" or "not followed"))
end

return M
