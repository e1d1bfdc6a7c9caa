--- Plugin: the chat streams Markdown, folds thoughts and output, shows todos, live output, errors and what was taken back

local kit = require("kit")
local plugin = require("plugin")

local project = kit.project()
local env = plugin.script(project, [==[
[[answer]]
when = "think"
step = [
  { thinking = "First I look.\nThen I think.", signature = "sig" },
  { text = "# Heading\n\nSome **bold** words.\n\n```lua\nlocal x = 1\n```\n", deltas = 9 },
  { tool = "TodoWrite", input = { todos = [{ content = "look", status = "completed", activeForm = "Looking" }, { content = "mend", status = "in_progress", activeForm = "Mending" }] } },
]

[[answer]]
when = "The list is kept"
step = [{ tool = "Bash", input = { command = "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo row $i; done", description = "count" } }]

[[answer]]
when = "row 12"
step = [{ text = "All done." }]

[[answer]]
when = "break"
step = [{ error = { status = 400, body = "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"the model is out\"}}" } }]

[[answer]]
forever = true
step = [{ text = "Fine." }]
]==])
local bowline = plugin.setup(project, { env = env })
plugin.open(project.main)
bowline.ask("think")
plugin.shows("All done.")
plugin.idle()
local chat = require("bowline.chat")
local text = plugin.chat()
for _, words in ipairs({ "# Heading", "Some **bold** words.", "Thinking", "    First I look.", "    Then I think.", "◐ Mending", "☑ look", "row 12" }) do
  kit.check(text:find(words, 1, true), "the chat has " .. words, text)
end

-- Folds: the thought and the output are closed, the words are not.
local window = assert(chat.window())
local function line_of(words)
  for at, line in ipairs(kit.lines(chat.buffer())) do
    if line:find(words, 1, true) then
      return at
    end
  end
  error("no line has " .. words .. " in\n" .. plugin.chat())
end
local function closed(words)
  local at = line_of(words)
  return vim.api.nvim_win_call(window, function()
    return vim.fn.foldclosed(at) ~= -1
  end)
end
kit.check(closed("Then I think."), "the thought is folded")
kit.check(closed("row 12"), "the output is folded")
kit.check(not closed("Heading") and not closed("Mending"), "words and todos are not")
local shown = vim.api.nvim_win_call(window, function()
  return vim.fn.foldtextresult(line_of("Thinking"))
end)
kit.check(shown:find("Thought, 2 lines", 1, true), "what a closed fold says", shown)
kit.check(vim.treesitter.highlighter.active[chat.buffer()] ~= nil, "Markdown is highlighted")

-- An error is told, and the next prompt works.
bowline.ask("break")
plugin.shows("✗ ")
plugin.shows("the model is out")
plugin.idle()
bowline.ask("again")
plugin.shows("Fine.")
plugin.idle()

-- The chat stays at its end while it grows, and where the user is when they look back.
kit.check(vim.api.nvim_win_get_cursor(window)[1] == vim.api.nvim_buf_line_count(chat.buffer()), "at the end")
vim.api.nvim_win_set_cursor(window, { 2, 0 })
bowline.ask("more")
plugin.idle()
kit.wait(function()
  local _, count = plugin.chat():gsub("Fine%.", "")
  return count == 2
end, "another answer")
kit.check(vim.api.nvim_win_get_cursor(window)[1] == 2, "where the user looks nothing moves")

-- A command of the server, and one that does not exist.
bowline.ask("/cost")
plugin.shows("❯ more")
bowline.ask("/nonsense")
plugin.shows("nonsense")
kit.check(not vim.bo[chat.buffer()].modifiable, "nobody writes in it by mistake")
vim.cmd("BowlineChat")
kit.check(chat.window() == nil, "closed")
vim.cmd("Bowline")
kit.check(chat.window() ~= nil, "open again")
plugin.leave()
