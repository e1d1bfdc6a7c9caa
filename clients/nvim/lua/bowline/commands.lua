--- `:Bowline` and its parts, each also a command of its own (`:BowlineAsk`), in one table.

local M = {}

--- Loaded when it is first needed: the table itself is there from the start.
local function session()
  return require("bowline.session")
end

---@class bowline.Command
---@field about string
---@field run fun(words: string, range?: { first: integer, last: integer }, bang: boolean)
---@field complete? fun(lead: string): string[]
---@field range? boolean

local function starting(lead, list)
  return vim.iter(list):filter(function(word)
    return vim.startswith(word, lead)
  end):totable()
end

local function hunks(action)
  return function(words, range, bang)
    local room = require("bowline.hunks")
    if bang then
      room.all(action)
    elseif range then
      room.lines(action, range.first, range.last)
    else
      room.at_cursor(action, words ~= "" and words or nil)
    end
  end
end

--- The lines that were given, or the one the caret is in.
local function lines(range)
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  return range and range.first or row, range and range.last or row
end

---@type table<string, bowline.Command>
M.table = {
  chat = {
    about = "open or close the chat",
    run = function()
      require("bowline.chat").toggle()
    end,
  },
  ask = {
    about = "ask; with a range, about these lines",
    range = true,
    run = function(words, range)
      require("bowline").ask(words, { range = range })
    end,
    complete = function(lead)
      return starting(lead, vim.iter(session().now.commands):map(function(command)
        return "/" .. command.name
      end):totable())
    end,
  },
  steer = {
    about = "tell the running turn something",
    run = function(words)
      require("bowline").ask(words, { delivery = "steer" })
    end,
  },
  attach = {
    about = "attach lines, the file or its diagnostics to the next prompt",
    range = true,
    run = function(words, range)
      local buffer = vim.api.nvim_get_current_buf()
      local attachments = require("bowline.attachments")
      local block
      if words == "diagnostics" then
        block = attachments.diagnostics(buffer)
      elseif range then
        block = attachments.lines(buffer, range.first, range.last)
      else
        block = attachments.file(buffer)
      end
      if block then
        require("bowline.prompt").attach(block)
        vim.notify("bowline: attached to the next prompt")
      end
    end,
    complete = function(lead)
      return starting(lead, { "diagnostics" })
    end,
  },
  edit = {
    about = "change these lines as you say",
    range = true,
    run = function(words, range)
      local first, last = lines(range)
      require("bowline.inline").ask(first, last, words)
    end,
  },
  fix = {
    about = "mend the diagnostics of these lines; with ! of the buffer",
    range = true,
    run = function(_, range, bang)
      if bang then
        return require("bowline.inline").fix()
      end
      local first, last = lines(range)
      require("bowline.inline").fix(first, last)
    end,
  },
  accept = { about = "keep the change here; with ! all of the buffer", range = true, run = hunks("accept") },
  reject = { about = "take the change here back; with ! all of the buffer", range = true, run = hunks("reject") },
  next = {
    about = "go to the next change of the agent",
    run = function()
      require("bowline.hunks").jump(1)
    end,
  },
  previous = {
    about = "go to the change before",
    run = function()
      require("bowline.hunks").jump(-1)
    end,
  },
  undo = {
    about = "take the last decision, or rewind, back",
    run = function()
      require("bowline.hunks").undo()
    end,
  },
  diff = {
    about = "the buffer beside itself without the agent's changes",
    run = function()
      require("bowline.diff").review(vim.api.nvim_get_current_buf())
    end,
  },
  permission = {
    about = "answer what waits: the picker, allow, or deny with a reason",
    run = function(words)
      local room = require("bowline.permission")
      local kind, why = words:match("^(%S+)%s*(.*)$")
      if kind == "allow" or kind == "deny" then
        room.answer(kind, why ~= "" and why or nil)
      else
        room.next(true)
      end
    end,
    complete = function(lead)
      return starting(lead, { "allow", "deny" })
    end,
  },
  cancel = {
    about = "stop",
    run = function()
      if not require("bowline.inline").cancel() then
        session().cancel()
      end
    end,
  },
  queue = {
    about = "the prompts that wait",
    run = function()
      require("bowline.queue").pick()
    end,
  },
  new = {
    about = "begin another session",
    run = function()
      require("bowline.sessions").new()
    end,
  },
  resume = {
    about = "go on with a stored session",
    run = function(words)
      require("bowline.sessions").resume(words)
    end,
  },
  fork = {
    about = "copy the session and go on in the copy",
    run = function()
      require("bowline.sessions").fork()
    end,
  },
  rename = {
    about = "give the session a title",
    run = function(words)
      require("bowline.sessions").rename(words)
    end,
  },
  delete = {
    about = "delete a stored session",
    run = function()
      require("bowline.sessions").delete()
    end,
  },
  export = {
    about = "the conversation as Markdown, in a buffer or a file",
    run = function(words)
      require("bowline.sessions").export(words)
    end,
  },
  rewind = {
    about = "go back to an earlier prompt",
    run = function()
      require("bowline.rewind").pick()
    end,
  },
  model = {
    about = "choose the model",
    run = function(words)
      require("bowline.settings").model(words)
    end,
    complete = function(lead)
      return starting(lead, vim.iter(require("bowline.settings").models()):map(function(model)
        return model.id
      end):totable())
    end,
  },
  mode = {
    about = "choose the permission mode",
    run = function(words)
      require("bowline.settings").mode(words)
    end,
    complete = function(lead)
      return starting(lead, vim.iter(require("bowline.settings").MODES):map(function(mode)
        return mode[1]
      end):totable())
    end,
  },
  effort = {
    about = "choose how hard the model works",
    run = function(words)
      require("bowline.settings").effort(words)
    end,
    complete = function(lead)
      return starting(lead, require("bowline.settings").EFFORTS)
    end,
  },
  share = {
    about = "tell the model what you look at: on, off",
    run = function(words)
      require("bowline").share(words)
    end,
    complete = function(lead)
      return starting(lead, { "on", "off" })
    end,
  },
  follow = {
    about = "show where the agent works, in another window: on, off",
    run = function(words)
      require("bowline.follow").set(words)
    end,
    complete = function(lead)
      return starting(lead, { "on", "off" })
    end,
  },
  restart = {
    about = "start the server anew; the session goes on",
    run = function()
      require("bowline").restart()
    end,
  },
}

local function names()
  local list = vim.tbl_keys(M.table)
  table.sort(list)
  return list
end

local function run(name, words, options)
  local command = M.table[name]
  if not command then
    return vim.notify(("bowline: there is no :Bowline %s; see :help :Bowline"):format(name), vim.log.levels.ERROR)
  end
  local range = command.range and options.range > 0 and { first = options.line1 - 1, last = options.line2 - 1 } or nil
  require("bowline").ready()
  command.run(words, range, options.bang)
end

local function complete(lead, line)
  -- A range may stand before it.
  local rest = line:match("Bowline!?%s+(.*)$") or ""
  local name = rest:match("^(%S+)%s")
  if not name then
    return starting(lead, names())
  end
  local command = M.table[name]
  return command and command.complete and command.complete(lead) or {}
end

function M.define()
  vim.api.nvim_create_user_command("Bowline", function(options)
    local name, words = options.args:match("^(%S+)%s*(.*)$")
    run(name or "chat", words or "", options)
  end, { nargs = "*", range = true, bang = true, complete = complete, desc = "Bowline, the coding agent" })
  for _, name in ipairs(names()) do
    local command = M.table[name]
    vim.api.nvim_create_user_command("Bowline" .. name:sub(1, 1):upper() .. name:sub(2), function(options)
      run(name, options.args, options)
    end, {
      nargs = "*",
      range = command.range and true or nil,
      bang = true,
      desc = "Bowline: " .. command.about,
      complete = command.complete and function(lead)
        return command.complete(lead)
      end or nil,
    })
  end
end

return M
