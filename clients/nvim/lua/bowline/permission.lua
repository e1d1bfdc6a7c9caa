--- "May I?": asked by `vim.ui.select`, so whatever picker the user has, with the change in sight.

local await = require("bowline.await")
local client = require("bowline.client")
local config = require("bowline.config")
local session = require("bowline.session")

local M = {}

---@class bowline.Waiting
---@field request bowline.PermissionRequestParams
---@field answer fun(answer: bowline.PermissionAnswer?)
---@field settled boolean

--- What waits for an answer, the oldest first.
---@type bowline.Waiting[]
M.waiting = {}
local asking = false

local FEEDBACK, EDIT, DIFF, PAUSE = "feedback", "edit", "diff", "pause"

---@param request bowline.PermissionRequestParams
---@return string[] What it is about, in lines.
function M.describe(request)
  local subject = request.subject
  local lines = {}
  if request.agent then
    table.insert(lines, "Asked by the agent " .. request.agent .. ".")
  end
  if subject.kind == "command" then
    vim.list_extend(lines, vim.split(subject.command, "\n"))
    table.insert(lines, ("in %s%s"):format(subject.cwd, subject.sandbox and ", kept in by " .. subject.sandbox or ""))
    if subject.parts and #subject.parts > 1 then
      for _, part in ipairs(subject.parts) do
        table.insert(lines, "  · " .. table.concat(part.words, " "))
      end
    end
  elseif subject.kind == "edit" then
    for _, file in ipairs(vim.list_extend({ subject }, subject.others or {})) do
      table.insert(lines, vim.fn.fnamemodify(vim.uri_to_fname(file.uri), ":~:."))
      vim.list_extend(lines, require("bowline.chat.tool").diff_lines(file.oldText, file.newText))
    end
    if subject.target then
      table.insert(lines, "really " .. subject.target)
    end
  elseif subject.kind == "read" then
    table.insert(lines, vim.uri_to_fname(subject.uri) .. (subject.target and " → " .. subject.target or ""))
  elseif subject.kind == "fetch" then
    table.insert(lines, subject.url)
  elseif subject.kind == "host" then
    table.insert(lines, ("%s:%d"):format(subject.host, subject.port))
  elseif subject.kind == "mcp" then
    table.insert(lines, ("%s: %s %s"):format(subject.server, subject.tool, vim.json.encode(subject.input)))
  elseif subject.kind == "plan" then
    vim.list_extend(lines, vim.split(subject.text, "\n"))
  elseif subject.kind == "trust" then
    table.insert(lines, subject.cwd)
    for _, what in ipairs(subject.what) do
      table.insert(lines, "  · " .. what)
    end
  end
  return lines
end

--- The question in the chat, where there is room for all of it.
local function show_in_chat(request)
  local chat = require("bowline.chat")
  chat.buffer()
  local drawn = { lines = { "", "? " .. request.title }, marks = { { row = 2, group = "BowlineWaiting" } } }
  table.insert(drawn.lines, "    " .. request.reason)
  table.insert(drawn.marks, { row = 3, group = "BowlineDetail" })
  for _, line in ipairs(M.describe(request)) do
    table.insert(drawn.lines, "    " .. line)
    local first = line:sub(1, 1)
    local group = request.subject.kind == "edit"
      and (first == "+" and "BowlineAdded" or first == "-" and "BowlineRemoved")
    table.insert(drawn.marks, { row = #drawn.lines, group = group or "BowlineDetail", first = 4 })
  end
  return chat.view:append(drawn)
end

local function close_in_chat(block, words)
  local chat = require("bowline.chat")
  if chat.view and vim.api.nvim_buf_is_valid(chat.view.buffer) then
    chat.view:replace(block, { lines = { "", words }, marks = { { row = 2, group = "BowlineDetail" } } })
  end
end

--- The choices: what the server offers, and what an editor can do beside.
local function choices(request)
  local list = vim.iter(request.options):map(function(option)
    return { label = option.label, option = option }
  end):totable()
  table.insert(list, { label = "Deny, and say what to do instead …", does = FEEDBACK })
  if request.editable and request.toolCall and type(request.toolCall.input) == "table" then
    table.insert(list, { label = "Change the input, then allow once …", does = EDIT })
  end
  if request.subject.kind == "edit" then
    table.insert(list, { label = "Look at the change in a diff first", does = DIFF })
  end
  table.insert(list, { label = "Decide later (:Bowline permission)", does = PAUSE })
  return list
end

local function of_kind(request, kind)
  return vim.iter(request.options):find(function(option)
    return option.kind == kind
  end)
end

--- The input, changed by the user; nothing when they gave up.
local function edited(request)
  local input = request.toolCall.input
  if type(input.command) == "string" and not input.command:find("\n") then
    local command = await.input({ prompt = "Command: ", default = input.command })
    return command and vim.tbl_extend("force", input, { command = command })
  end
  return await.await(function(done)
    require("bowline.scratch").edit("input.json", vim.json.encode(input), done)
  end)
end

--- Asks until there is an answer. Gives it, or `PAUSE`.
local function ask(waiting)
  local request = waiting.request
  local prompt = ("%s %s"):format(request.title, request.reason)
  while not waiting.settled do
    local choice = await.select(choices(request), {
      prompt = prompt,
      kind = "bowline.permission",
      format = function(item)
        return item.label
      end,
    })
    if waiting.settled then
      return nil
    end
    if not choice then
      local deny = of_kind(request, "deny")
      return deny and { optionId = deny.id } or vim.NIL
    elseif choice.option then
      return { optionId = choice.option.id }
    elseif choice.does == PAUSE then
      return PAUSE
    elseif choice.does == DIFF then
      require("bowline.diff").permission(request, true)
      return PAUSE
    elseif choice.does == FEEDBACK then
      local words = await.input({ prompt = "What shall it do instead? " })
      local deny = of_kind(request, "deny")
      if words and words ~= "" and deny then
        return { optionId = deny.id, feedback = words }
      end
    elseif choice.does == EDIT then
      local input = edited(request)
      local allow = of_kind(request, "allow")
      if input and allow then
        return { optionId = allow.id, editedInput = input }
      end
    end
  end
end

local function label(request, answer)
  if answer == nil or answer == vim.NIL then
    return "not answered here"
  end
  local option = vim.iter(request.options):find(function(option)
    return option.id == answer.optionId
  end)
  local words = option and option.label or answer.optionId
  return words .. (answer.feedback and (": " .. answer.feedback) or "")
end

local function settle(waiting, answer)
  if waiting.settled then
    return
  end
  waiting.settled = true
  M.waiting = vim.iter(M.waiting):filter(function(other)
    return other ~= waiting
  end):totable()
  require("bowline.diff").close(waiting.request.requestId)
  if waiting.block then
    close_in_chat(waiting.block, ("  %s — %s"):format(waiting.request.title, label(waiting.request, answer)))
  end
  waiting.answer(answer)
  vim.cmd.redrawstatus()
end

--- Whether a question may pop up now: never into what the user is typing.
local function welcome()
  return config.options.permission.interrupt or vim.api.nvim_get_mode().mode == "n"
end

--- Puts the oldest question that was not put aside to the user.
---@param also_paused? boolean
function M.next(also_paused)
  if asking or not welcome() then
    return
  end
  local waiting = vim.iter(M.waiting):find(function(one)
    return also_paused or not one.paused
  end)
  if not waiting then
    return
  end
  asking = true
  await.run(function()
    local ok, answer = xpcall(ask, debug.traceback, waiting)
    asking = false
    if not ok then
      vim.notify("bowline: " .. answer, vim.log.levels.ERROR)
      waiting.paused = true
    elseif answer == PAUSE then
      waiting.paused = true
    elseif answer ~= nil then
      settle(waiting, answer)
    end
    vim.schedule(M.next)
  end)
end

local function add(request, answer)
  local waiting = { request = request, answer = answer, settled = false }
  table.insert(M.waiting, waiting)
  waiting.block = show_in_chat(request)
  vim.cmd.redrawstatus()
  if welcome() then
    -- What is asked about is painted before a picker that blocks.
    vim.cmd.redraw()
    M.next()
  else
    vim.notify("bowline: " .. request.title .. " (asked when you are back in normal mode)", vim.log.levels.WARN)
  end
  return waiting
end

--- `agent/permission/request`.
---@param request bowline.PermissionRequestParams
---@return bowline.PermissionAnswer?
function M.on_request(request)
  return await.await(function(done)
    add(request, done)
  end)
end

--- `agent/request/resolved`: somebody else answered, or nobody will.
---@param params bowline.RequestResolvedParams
function M.on_resolved(params)
  require("bowline.questions").withdraw(params.requestId)
  require("bowline.diff").close(params.requestId)
  for _, waiting in ipairs(M.waiting) do
    if waiting.request.requestId == params.requestId then
      settle(waiting, nil)
      return
    end
  end
end

--- Answers the oldest question without a picker: for keys, and for scripts.
---@param kind "allow"|"deny"
---@param feedback? string
function M.answer(kind, feedback)
  local waiting = M.waiting[1]
  local option = waiting and of_kind(waiting.request, kind)
  if option then
    settle(waiting, { optionId = option.id, feedback = feedback })
  else
    vim.notify("bowline: nothing waits for your permission", vim.log.levels.INFO)
  end
end

-- A session that was joined may wait for an answer that was asked elsewhere.
session.on("bowline.pending", function(event)
  if event.pending.type ~= "permission" then
    return require("bowline.questions").pending(event.pending.request)
  end
  local request = event.pending.request
  -- With a question of its own the server sends the change along; this one was asked before.
  if config.options.permission.show_diff and request.subject.kind == "edit" then
    require("bowline.diff").permission(request, false)
  end
  add(request, function(answer)
    if answer and answer ~= vim.NIL then
      local params = vim.tbl_extend("force", { requestId = request.requestId }, answer)
      client.request("agent/permission/respond", params)
    end
  end)
end)

vim.api.nvim_create_autocmd("ModeChanged", {
  group = vim.api.nvim_create_augroup("bowline.permission", {}),
  pattern = "*:n",
  callback = function()
    if #M.waiting > 0 then
      vim.schedule(M.next)
    end
  end,
})

return M
