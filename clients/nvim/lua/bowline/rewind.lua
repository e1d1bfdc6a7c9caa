--- Back to an earlier prompt: the conversation, the files, or both, after a look at what that means.

local await = require("bowline.await")
local client = require("bowline.client")
local session = require("bowline.session")

local M = {}

local WHAT = {
  { "both", "The conversation and the files" },
  { "conversation", "The conversation; files stay as they are" },
  { "files", "The files; the conversation stays" },
}

--- The prompts of the session, the newest first.
local function prompts(id)
  local result, problem = client.call("agent/session/attach", { sessionId = id })
  if problem then
    client.tell(problem)
    return {}
  end
  local found = {}
  for _, message in ipairs(result.snapshot and result.snapshot.messages or {}) do
    local text = vim.iter(message.blocks):find(function(block)
      return block.type == "text"
    end)
    if message.role == "user" and text then
      table.insert(found, 1, { id = message.messageId, text = (text.text:gsub("\n", " ")) })
    end
  end
  return found
end

---@param result bowline.SessionRewindResult
local function describe(result)
  local words = {}
  for _, file in ipairs(result.files) do
    local name = vim.fn.fnamemodify(vim.uri_to_fname(file.uri), ":~:.")
    table.insert(words, ("%s %s (+%d -%d)"):format(name, file.change, file.addedLines, file.removedLines))
  end
  for _, conflict in ipairs(result.conflicts) do
    local name = vim.fn.fnamemodify(vim.uri_to_fname(conflict.uri), ":~:.")
    table.insert(words, ("%s stays: %s"):format(name, conflict.reason))
  end
  return #words > 0 and table.concat(words, "; ") or "No file changes."
end

function M.pick()
  await.run(function()
    local id, problem = await.await(session.ensure)
    if not id then
      return client.tell(problem)
    end
    local list = prompts(id)
    if #list == 0 then
      return vim.notify("bowline: nothing was said yet")
    end
    local to = await.select(list, {
      prompt = "Back to before",
      kind = "bowline.rewind",
      format = function(prompt)
        return vim.fn.strcharpart(prompt.text, 0, 80)
      end,
    })
    local what = to and await.select(WHAT, {
      prompt = "What goes back?",
      format = function(item)
        return item[2]
      end,
    })
    if not what then
      return
    end
    local params = { sessionId = id, toMessage = to.id, what = what[1], preview = true }
    local preview, refused = client.call("agent/session/rewind", params)
    if refused then
      return client.tell(refused)
    end
    local sure = await.select({ "Go back", "Leave all as it is" }, { prompt = describe(preview) })
    if sure ~= "Go back" then
      return
    end
    params.preview = nil
    local done, failed = client.call("agent/session/rewind", params)
    if failed then
      return client.tell(failed)
    end
    if done.undoToken then
      require("bowline.hunks").remember(done.undoToken)
    end
    vim.notify("bowline: went back; :Bowline undo takes that back")
  end)
end

return M
