--- The agent's changes in the text: shown where they are, kept or taken back one by one.

local client = require("bowline.client")
local config = require("bowline.config")
local position = require("bowline.position")
local session = require("bowline.session")

local M = {}

local space = vim.api.nvim_create_namespace("bowline.hunks")

---@class bowline.Shown
---@field hunk bowline.Hunk
---@field buffer integer
---@field mark? integer

--- Those nobody decided about, by id.
---@type table<string, bowline.Shown>
local pending = {}
--- What can be taken back, the newest last.
---@type string[]
local undo_tokens = {}

local function buffer_of(uri)
  local buffer = vim.fn.bufnr(vim.uri_to_fname(uri))
  return buffer > 0 and vim.api.nvim_buf_is_loaded(buffer) and buffer or nil
end

local function lines_of(text)
  local lines = vim.split((text:gsub("\r", "")), "\n", { plain = true })
  if #lines > 0 and lines[#lines] == "" then
    lines[#lines] = nil
  end
  return lines
end

--- The rows of a hunk now, from zero; `last` is below `first` when nothing of it is in the text.
---@return integer? first, integer? last
local function rows(shown)
  if not shown.mark then
    return nil
  end
  local at = vim.api.nvim_buf_get_extmark_by_id(shown.buffer, space, shown.mark, { details = true })
  if not at[1] then
    return nil
  end
  if shown.hunk.newText == "" then
    return at[1], at[1] - 1
  end
  return at[1], at[3].end_row or at[1]
end

--- The pending changes of a buffer, from top to bottom.
---@param buffer integer
---@return { shown: bowline.Shown, first: integer, last: integer }[]
function M.of(buffer)
  local found = {}
  for _, shown in pairs(pending) do
    if shown.buffer == buffer then
      local first, last = rows(shown)
      if first then
        table.insert(found, { shown = shown, first = first, last = last })
      end
    end
  end
  table.sort(found, function(a, b)
    return a.first < b.first
  end)
  return found
end

---@return integer
function M.count()
  return vim.tbl_count(pending)
end

local function hint()
  local keys = config.options.keys
  local words = {}
  for _, name in ipairs({ "accept", "reject" }) do
    if keys[name] then
      local leader = vim.fn.keytrans(vim.g.mapleader or "\\")
      local typed = keys[name]:gsub("<[Ll]eader>", (leader:gsub("%%", "%%%%")))
      table.insert(words, ("%s %s"):format(typed, name))
    end
  end
  return #words > 0 and "  " .. table.concat(words, " · ") or "  agent"
end

local function draw(shown)
  local buffer, hunk = shown.buffer, shown.hunk
  local options = config.options.hunks
  local encoding = client.encoding()
  local first, first_byte = position.place(buffer, hunk.range.start, encoding)
  local last, last_byte = position.place(buffer, hunk.range["end"], encoding)
  -- The line behind a line break is not part of it.
  if last_byte == 0 and last > first then
    last = last - 1
    last_byte = #position.line(buffer, last)
  end
  local mark = {
    id = shown.mark,
    end_row = last,
    end_col = last_byte,
    hl_group = hunk.newText ~= "" and "BowlineHunkAdded" or nil,
    hl_eol = true,
    end_right_gravity = false,
    right_gravity = true,
    priority = 90,
  }
  if options.signs then
    mark.sign_text = hunk.newText == "" and "▁" or "┃"
    mark.sign_hl_group = "BowlineHunkSign"
  end
  if options.old_text and hunk.oldText ~= "" then
    mark.virt_lines = vim.iter(lines_of(hunk.oldText)):map(function(line)
      return { { line:gsub("\t", (" "):rep(vim.bo[buffer].tabstop)), "BowlineHunkRemoved" } }
    end):totable()
    mark.virt_lines_above = first > 0
  end
  if options.hint then
    mark.virt_text = { { hint(), "BowlineHint" } }
    mark.virt_text_pos = "eol"
  end
  shown.mark = vim.api.nvim_buf_set_extmark(buffer, space, first, first_byte, mark)
end

local function undraw(shown)
  if shown.mark and vim.api.nvim_buf_is_valid(shown.buffer) then
    vim.api.nvim_buf_del_extmark(shown.buffer, space, shown.mark)
  end
  shown.mark = nil
end

local ACTIONS = {
  next = function()
    M.jump(1)
  end,
  previous = function()
    M.jump(-1)
  end,
  accept = function()
    M.at_cursor("accept")
  end,
  reject = function()
    M.at_cursor("reject")
  end,
  accept_all = function()
    M.all("accept")
  end,
  reject_all = function()
    M.all("reject")
  end,
  undo = function()
    M.undo()
  end,
  diff = function()
    require("bowline.diff").review(vim.api.nvim_get_current_buf())
  end,
}

--- Keys are there while there is something to decide.
local function set_keys(buffer)
  local wanted = #M.of(buffer) > 0
  if (vim.b[buffer].bowline_keys or false) == wanted then
    return
  end
  vim.b[buffer].bowline_keys = wanted
  for name, keys in pairs(config.options.keys) do
    if keys and ACTIONS[name] then
      if wanted then
        vim.keymap.set("n", keys, ACTIONS[name], { buffer = buffer, desc = "Bowline: " .. name:gsub("_", " ") })
      elseif name ~= "undo" then
        pcall(vim.keymap.del, "n", keys, { buffer = buffer })
      end
      if name == "accept" or name == "reject" then
        if wanted then
          vim.keymap.set("x", keys, function()
            return M.operator(name)
          end, { buffer = buffer, expr = true, desc = ("Bowline: %s these lines"):format(name) })
        else
          pcall(vim.keymap.del, "x", keys, { buffer = buffer })
        end
      end
    end
  end
end

--- Whether a range of this version is where it says. Marks move with the text by themselves.
local function is_current(buffer, version)
  return version == nil or version == vim.NIL or version == client.version(buffer)
end

---@param hunk bowline.Hunk
function M.note(hunk)
  local shown = pending[hunk.id]
  if hunk.state ~= "pending" then
    if shown then
      undraw(shown)
      pending[hunk.id] = nil
      if vim.api.nvim_buf_is_valid(shown.buffer) then
        set_keys(shown.buffer)
      end
    end
    return
  end
  local buffer = buffer_of(hunk.uri)
  if not shown then
    shown = { hunk = hunk, buffer = buffer or -1 }
    pending[hunk.id] = shown
  end
  shown.hunk, shown.buffer = hunk, buffer or -1
  if not buffer then
    return
  end
  if is_current(buffer, hunk.version) then
    draw(shown)
    set_keys(buffer)
  else
    -- It was typed on since: the request sends that, and the answer is about it.
    M.load(buffer)
  end
end

--- Hunks are at other places. An older text's places are of no use: the marks are nearer.
---@param event { uri: string, version?: integer, hunks: bowline.MovedHunk[] }
local function moved(event)
  for _, place in ipairs(event.hunks) do
    local shown = pending[place.id]
    local buffer = shown and buffer_of(shown.hunk.uri)
    if shown and not buffer then
      shown.hunk.range, shown.hunk.version = place.range, event.version
    elseif shown and is_current(buffer, event.version) then
      shown.hunk.range, shown.hunk.version, shown.buffer = place.range, event.version, buffer
      draw(shown)
    end
  end
end

--- Buffers that are asked about; whoever wants to know again meanwhile is asked for afterwards.
---@type table<integer, "asked"|"again">
local loading = {}

--- Asks for what waits in a buffer: it was opened, or changed faster than the server told of it.
---@param buffer integer
function M.load(buffer)
  if loading[buffer] then
    loading[buffer] = "again"
    return
  end
  loading[buffer] = "asked"
  local uri = vim.uri_from_bufnr(buffer)
  client.request("agent/review/list", { uri = uri }, function(result)
    local again = loading[buffer] == "again"
    loading[buffer] = nil
    for _, hunk in ipairs(result and result.hunks or {}) do
      M.note(hunk)
    end
    if again and vim.api.nvim_buf_is_valid(buffer) then
      M.load(buffer)
    end
  end, buffer)
end

local function told(result)
  local left = vim.iter(result.results):filter(function(one)
    return one.state == "pending" and one.reason
  end)
  left:each(function(one)
    vim.notify("bowline: " .. one.reason, vim.log.levels.WARN)
  end)
end

---@param params bowline.ReviewResolveParams
---@param buffer? integer
local function resolve(params, buffer)
  client.request("agent/review/resolve", params, function(result, problem)
    if problem then
      return client.tell(problem)
    end
    table.insert(undo_tokens, result.undoToken)
    told(result)
  end, buffer)
end

local function touched(buffer, first, last)
  return vim.iter(M.of(buffer)):filter(function(one)
    return one.first <= last and math.max(one.last, one.first) >= first
  end):totable()
end

--- Decides about the change under the caret. The server finds it in the text of this very version.
---@param action "accept"|"reject"
---@param comment? string
function M.at_cursor(action, comment)
  local buffer = vim.api.nvim_get_current_buf()
  local cursor = vim.api.nvim_win_get_cursor(0)
  local at = {
    uri = vim.uri_from_bufnr(buffer),
    version = client.version(buffer) or vim.NIL,
    position = position.of(buffer, cursor[1] - 1, cursor[2], client.encoding()),
  }
  resolve({ at = at, action = action, comment = comment }, buffer)
end

--- Decides about the changes of some lines; of one change maybe only about a part.
---@param action "accept"|"reject"
---@param first integer From zero.
---@param last integer
function M.lines(action, first, last)
  local buffer = vim.api.nvim_get_current_buf()
  local found = touched(buffer, first, last)
  if #found == 0 then
    return vim.notify("bowline: no change of the agent there", vim.log.levels.INFO)
  end
  local only = found[1]
  if #found == 1 and (first > only.first or last < only.last) and only.last > only.first then
    local span = {
      start = math.max(first, only.first) - only.first,
      ["end"] = math.min(last, only.last) - only.first + 1,
    }
    return resolve({ hunkIds = { only.shown.hunk.id }, action = action, lines = { span } }, buffer)
  end
  local ids = vim.iter(found):map(function(one)
    return one.shown.hunk.id
  end):totable()
  resolve({ hunkIds = ids, action = action }, buffer)
end

--- For a mapping with `expr`: the motion that follows, or the selection, says which lines.
---@param action "accept"|"reject"
function M.operator(action)
  M.operation = function()
    local first, last = vim.api.nvim_buf_get_mark(0, "["), vim.api.nvim_buf_get_mark(0, "]")
    M.lines(action, first[1] - 1, last[1] - 1)
  end
  vim.o.operatorfunc = "v:lua.require'bowline.hunks'.operation"
  return "g@"
end

--- Decides about everything in the buffer.
---@param action "accept"|"reject"
function M.all(action)
  local buffer = vim.api.nvim_get_current_buf()
  resolve({ uri = vim.uri_from_bufnr(buffer), action = action }, buffer)
end

--- Takes the last decision back.
function M.undo()
  local token = table.remove(undo_tokens)
  if not token then
    return vim.notify("bowline: there is no decision to take back", vim.log.levels.INFO)
  end
  client.request("agent/session/unrewind", { undoToken = token }, function(_, problem)
    if problem then
      -- A token of another life fits nothing; everything else can be tried again.
      if problem.code ~= vim.lsp.protocol.ErrorCodes.InvalidParams then
        table.insert(undo_tokens, token)
      end
      client.tell(problem)
    end
  end)
end

--- Something that can be taken back by `M.undo`.
function M.remember(token)
  table.insert(undo_tokens, token)
end

--- Files with changes, in order, beginning with the one after `buffer`.
local function other_file(buffer, step)
  local names = {}
  for _, shown in pairs(pending) do
    names[vim.uri_to_fname(shown.hunk.uri)] = true
  end
  local list = vim.tbl_keys(names)
  table.sort(list)
  local here = vim.api.nvim_buf_get_name(buffer)
  local at = 0
  for place, name in ipairs(list) do
    if name == here then
      at = place
    end
  end
  local other = list[(at - 1 + step) % math.max(#list, 1) + 1]
  return other ~= here and other or nil
end

--- Goes to the next change, or the one before; from the last on to the next file.
---@param step 1|-1
function M.jump(step)
  local buffer = vim.api.nvim_get_current_buf()
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  local list = M.of(buffer)
  local target
  for at = step > 0 and 1 or #list, step > 0 and #list or 1, step do
    if (list[at].first - row) * step > 0 then
      target = list[at]
      break
    end
  end
  if not target then
    local file = other_file(buffer, step)
    if file then
      require("bowline.windows").edit(vim.fn.bufadd(file))
      list = M.of(vim.api.nvim_get_current_buf())
    end
    target = list[step > 0 and 1 or #list]
  end
  if not target then
    return vim.notify("bowline: no changes of the agent wait", vim.log.levels.INFO)
  end
  vim.cmd("normal! m'")
  vim.api.nvim_win_set_cursor(0, { target.first + 1, 0 })
end

for _, type in ipairs({ "hunk.added", "hunk.updated", "hunk.resolved" }) do
  session.on(type, function(event)
    M.note(event.hunk)
  end)
end
session.on("hunks.moved", moved)
session.on("bowline.hunks", function(event)
  vim.iter(event.hunks):each(M.note)
end)

vim.api.nvim_create_autocmd("User", {
  group = vim.api.nvim_create_augroup("bowline.hunks", {}),
  pattern = "BowlineAttached",
  callback = function(event)
    M.load(event.data.buffer)
  end,
})

return M
