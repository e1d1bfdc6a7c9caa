--- What the user set, over what holds without a word.

local M = {}

---@class bowline.Options
---@field cmd string[] How the server is started.
---@field env? table<string, string> More environment for the server.
---@field autostart boolean Attach to the files of a project when they are opened, as language servers do.
---@field root? fun(buffer: integer): string? The folder of the session; by default the nearest with one of `root_markers`.
---@field root_markers string[]
---@field attach? fun(buffer: integer): boolean False: this buffer is none of the server's business.
---@field session { model?: string, mode?: string } What a new session starts with.
---@field share bowline.ShareOptions
---@field chat bowline.ChatOptions
---@field permission bowline.PermissionOptions
---@field hunks { signs: boolean, old_text: boolean, hint: boolean }
---@field keys table<string, string|false>
---@field follow boolean Show where the agent works, in a window that you are not in.
---@field suggestions boolean Offer a guess at the next prompt; it costs a question to a quick model.

---@class bowline.ShareOptions
---@field focus boolean The model is told which file is looked at and what is selected there. Off unless you say so.
---@field diagnostics boolean What other language servers and linters find goes to the server.
---@field exclude string[] Files that never leave: not opened with the server, and denied to the agent.

---@class bowline.ChatOptions
---@field position "right"|"left"|"below"|"tab"
---@field size number Columns or rows; below 1 a share of the screen.
---@field prompt_height integer
---@field diff_lines integer Longer diffs are folded.

---@class bowline.PermissionOptions
---@field interrupt boolean True: ask at once, also while you type. Else when you are back in normal mode.
---@field show_diff boolean Show the change in a split while its permission is asked.

---@type bowline.Options
M.defaults = {
  cmd = { "bowline", "serve" },
  autostart = true,
  root_markers = { ".git", ".hg", ".jj", ".bowline", "CLAUDE.md", "AGENTS.md" },
  session = {},
  share = {
    focus = false,
    diagnostics = true,
    exclude = { ".env", ".env.*", "*.pem", "*.key", "id_rsa", "id_ed25519", ".netrc" },
  },
  chat = { position = "right", size = 0.42, prompt_height = 5, diff_lines = 40 },
  permission = { interrupt = false, show_diff = true },
  hunks = { signs = true, old_text = true, hint = true },
  -- Set in buffers with changes of the agent, and taken away with the last one.
  keys = {
    next = "]v",
    previous = "[v",
    accept = "<leader>va",
    reject = "<leader>vr",
    accept_all = "<leader>vA",
    reject_all = "<leader>vR",
    undo = "<leader>vu",
    diff = "<leader>vd",
  },
  follow = false,
  suggestions = false,
}

---@type bowline.Options
M.options = vim.deepcopy(M.defaults)

--- Names that are not options, to be told: a slip would otherwise go unnoticed for ever.
local function unknown(given, known, path, found)
  for name, value in pairs(given) do
    local here = path .. name
    if known[name] == nil then
      if not vim.tbl_contains({ "env", "root", "attach", "session.model", "session.mode" }, here) then
        table.insert(found, here)
      end
    elseif type(value) == "table" and type(known[name]) == "table" and not vim.islist(known[name]) then
      unknown(value, known[name], here .. ".", found)
    end
  end
  return found
end

---@param given? table
function M.set(given)
  given = given or {}
  M.unknown = unknown(given, M.defaults, "", {})
  M.options = vim.tbl_deep_extend("force", vim.deepcopy(M.defaults), given)
  if #M.unknown > 0 then
    table.sort(M.unknown)
    local names = table.concat(M.unknown, ", ")
    vim.notify("bowline: there is no option " .. names .. "; see :help bowline-options", vim.log.levels.WARN)
  end
end

--- Names that were given and mean nothing.
---@type string[]
M.unknown = {}

return M
