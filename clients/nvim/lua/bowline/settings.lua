--- Model, permission mode and effort of the session.

local await = require("bowline.await")
local client = require("bowline.client")
local session = require("bowline.session")

local M = {}

M.MODES = {
  { "default", "asks before it changes anything" },
  { "acceptEdits", "changes files of the project without asking" },
  { "plan", "only reads, and writes a plan" },
  { "auto", "a model judges what would be asked" },
  { "dontAsk", "what no rule allows is denied" },
  { "bypassPermissions", "asks nothing" },
}
M.EFFORTS = { "low", "medium", "high", "xhigh", "max" }

---@return bowline.ModelInfo[]
function M.models()
  local running = client.get()
  return running and vim.tbl_get(running.server_capabilities, "experimental", "agent", "models") or {}
end

local function set(change)
  local _, problem = client.call("agent/session/config", { sessionId = session.now.id, set = change })
  if problem then
    client.tell(problem)
  end
end

--- Chooses with a picker, unless the value is named.
---@param key "model"|"mode"|"effort"
---@param named? string
---@param pick fun(): string?
local function change(key, named, pick)
  await.run(function()
    local id, problem = await.await(session.ensure)
    if not id then
      return client.tell(problem)
    end
    local value = named and named ~= "" and named or pick()
    if value then
      set({ [key] = value })
    end
  end)
end

---@param named? string
function M.model(named)
  change("model", named, function()
    local model = await.select(M.models(), {
      prompt = "Model",
      kind = "bowline.model",
      format = function(model)
        local now = session.now.config and session.now.config.model == model.id and "● " or "  "
        return now .. model.name .. (model.description and " — " .. model.description or "")
      end,
    })
    return model and model.id
  end)
end

---@param named? string
function M.mode(named)
  change("mode", named, function()
    local mode = await.select(M.MODES, {
      prompt = "Permission mode",
      kind = "bowline.mode",
      format = function(mode)
        local now = session.now.config and session.now.config.mode == mode[1] and "● " or "  "
        return ("%s%s — %s"):format(now, mode[1], mode[2])
      end,
    })
    return mode and mode[1]
  end)
end

---@param named? string
function M.effort(named)
  change("effort", named, function()
    return (await.select(M.EFFORTS, { prompt = "Effort", kind = "bowline.effort" }))
  end)
end

return M
