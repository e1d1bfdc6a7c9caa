--- `agent/ask`: questions with choices, forms, and pages to open.

local await = require("bowline.await")

local M = {}

---@type table<string, fun(result: any)>
local open = {}

local OWN = "Something else …"
local DONE = "That is all"

---@param question bowline.Question
local function own_words(question)
  return await.input({ prompt = question.text .. " " })
end

--- One choice, or words; nothing when the user closed it.
---@param question bowline.Question
local function one(question)
  if #question.options == 0 then
    return own_words(question)
  end
  local items = vim.list_slice(question.options)
  if question.freeText then
    table.insert(items, { label = OWN })
  end
  local choice = await.select(items, {
    prompt = question.text,
    kind = "bowline.question",
    format = function(item)
      return item.description and ("%s — %s"):format(item.label, item.description) or item.label
    end,
  })
  if choice and choice.label == OWN then
    return own_words(question)
  end
  return choice and choice.label
end

--- Several choices, one after the other.
---@param question bowline.Question
local function several(question)
  local chosen = {}
  while true do
    local items = vim.list_slice(question.options)
    table.insert(items, { label = DONE })
    local choice = await.select(items, {
      prompt = question.text,
      kind = "bowline.question",
      format = function(item)
        return (chosen[item.label] and "[x] " or "[ ] ") .. item.label
      end,
    })
    if not choice then
      return nil
    end
    if choice.label == DONE then
      return vim.iter(question.options):map(function(option)
        return chosen[option.label] and option.label or nil
      end):totable()
    end
    chosen[choice.label] = not chosen[choice.label]
  end
end

---@param questions bowline.Question[]
local function choose(questions)
  local content = {}
  for _, question in ipairs(questions) do
    local answer
    if question.multiSelect and #question.options > 0 then
      answer = several(question)
    else
      answer = one(question)
    end
    if answer == nil then
      return { action = "cancel" }
    end
    content[question.id] = answer
  end
  return { action = "accept", content = content }
end

--- One field of a form.
local function field(name, schema, required)
  local title = (schema.title or name) .. (required and "" or " (optional)")
  local prompt = schema.description and ("%s: %s"):format(title, schema.description) or title
  if schema.type == "boolean" then
    local choice = await.select({ "yes", "no" }, { prompt = prompt })
    return choice and choice == "yes"
  elseif schema.enum then
    return (await.select(schema.enum, { prompt = prompt }))
  end
  local default = schema.default ~= nil and schema.default ~= vim.NIL and tostring(schema.default) or nil
  local words = await.input({ prompt = prompt .. " ", default = default })
  if words and (schema.type == "number" or schema.type == "integer") then
    return tonumber(words)
  end
  return words
end

local function fill(message, form)
  local schema = form.schema
  if message then
    vim.notify(message)
  end
  local required = schema.required or {}
  local names = vim.tbl_keys(schema.properties or {})
  table.sort(names)
  local content = vim.empty_dict()
  for _, name in ipairs(names) do
    local needed = vim.tbl_contains(required, name)
    local value = field(name, schema.properties[name], needed)
    if value == nil and needed then
      return { action = "cancel" }
    end
    if value ~= "" then
      content[name] = value
    end
  end
  return { action = "accept", content = content }
end

local function visit(message, url)
  local choice = await.select({ "Open it", "No" }, { prompt = ("%s %s"):format(message or "Open this page?", url) })
  if choice ~= "Open it" then
    return { action = "decline" }
  end
  vim.ui.open(url)
  return { action = "accept" }
end

---@param params bowline.AskParams
local function ask(params)
  if params.questions then
    return choose(params.questions)
  elseif params.form then
    return fill(params.message, params.form)
  elseif params.url then
    return visit(params.message, params.url)
  end
  return { action = "cancel" }
end

---@param params bowline.AskParams
---@return bowline.AskResult
function M.on_request(params)
  return await.await(function(done)
    open[params.requestId] = done
    -- A coroutine of its own: a question that is withdrawn must not wait for its picker.
    await.run(function()
      local result = ask(params)
      open[params.requestId] = nil
      done(result)
    end)
  end)
end

--- Somebody else answered.
---@param id string
function M.withdraw(id)
  local done = open[id]
  open[id] = nil
  if done then
    done({ action = "cancel" })
  end
end

--- A question that waited before we came is answered by a request of our own.
---@param params bowline.AskParams
function M.pending(params)
  local id, withdrawn = params.requestId, false
  open[id] = function()
    withdrawn = true
  end
  await.run(function()
    local result = ask(params)
    if not withdrawn then
      open[id] = nil
      local params = { requestId = id, action = result.action, content = result.content }
      require("bowline.client").request("agent/ask/respond", params)
    end
  end)
end

return M
