--- Plugin: the prompt completes commands and files from the server, sends, queues, steers and attaches

local kit = require("kit")
local plugin = require("plugin")

local project = kit.project()
kit.write(project.folder .. "/makefile.txt", { "x" })
local env = plugin.script(project, [==[
[[answer]]
when = "slow"
step = [{ tool = "Bash", input = { command = "touch started; while [ ! -e go ]; do sleep 0.05; done" } }]

[[answer]]
when = "by the way"
step = [{ text = "Steered." }]

[[answer]]
when = "lines 2"
step = [{ text = "Selection seen." }]

[[answer]]
forever = true
step = [{ text = "I heard: {{prompt}}" }]
]==])
local bowline = plugin.setup(project, { env = env })
local buffer = plugin.open(project.main)
local prompt, session = require("bowline.prompt"), require("bowline.session")
vim.cmd("Bowline")
kit.check(vim.bo.filetype == "bowlineprompt", "the caret is in the prompt", vim.bo.filetype)
local input = vim.api.nvim_get_current_buf()

-- 'omnifunc', as <C-x><C-o> calls it.
local function complete(words)
  vim.api.nvim_buf_set_lines(input, 0, -1, true, vim.split(words, "\n"))
  local last = vim.api.nvim_buf_line_count(input)
  vim.api.nvim_win_set_cursor(0, { last, #kit.lines(input)[last] })
  vim.cmd("startinsert!")
  local omni = require("bowline.complete").omni
  local start = omni(1, "")
  return start, start >= 0 and vim.iter(omni(0, "")):map(function(item)
    return item.word
  end):totable() or {}
end
local items
kit.wait(function()
  _, items = complete("/co")
  return vim.tbl_contains(items, "/cost")
end, "commands: " .. vim.inspect(items))
local start
start, items = complete("first line ü\nlook at @main")
kit.check(start == 8 and vim.tbl_contains(items, "@main.rs"), "files", { start, items })
start = complete("nothing here")
kit.check(start == -3, "nothing to complete", start)

-- Sending, and what was sent before.
vim.api.nvim_buf_set_lines(input, 0, -1, true, { "good morning" })
vim.cmd.stopinsert()
plugin.press("<CR>")
plugin.shows("I heard: good morning")
plugin.idle()
kit.check(kit.lines(input)[1] == "", "the prompt is empty again", kit.lines(input))
plugin.press("<C-Up>")
kit.check(kit.lines(input)[1] == "good morning", "what was said is not lost", kit.lines(input))

-- A selection goes along when the user says so, and that is shown.
vim.api.nvim_win_call(vim.fn.win_findbuf(buffer)[1], function()
  vim.cmd("2,3Bowline attach")
end)
kit.check(#prompt.attached == 1, "attached", prompt.attached)
vim.api.nvim_buf_set_lines(input, 0, -1, true, { "what are lines 2 and 3?" })
plugin.press("<CR>")
plugin.shows("Selection seen.")
plugin.idle()
plugin.shows("⎘ lines 2 to 3 of main.rs")
kit.check(#prompt.attached == 0, "once")

-- While a turn runs: one prompt waits, another is told at once.
plugin.async_picker(plugin.take("Allow once"))
bowline.ask("slow")
kit.wait(function()
  return vim.fn.filereadable(project.folder .. "/started") == 1
end, "the command runs")
bowline.ask("wait your turn")
kit.wait(function()
  return #session.now.queue == 1
end, "it waits")
kit.check(bowline.statusline():find("1 waiting", 1, true), "the statusline counts it", bowline.statusline())
plugin.async_picker(function(list, options)
  if options.kind == "bowline.queue" then
    return list[1], 1
  end
  return plugin.take("Change it")(list, options)
end)
vim.ui.input = function(options, done)
  kit.check(options.default == "wait your turn", "the prompt is there to be changed", options)
  done("waited")
end
vim.cmd("Bowline queue")
kit.wait(function()
  return vim.inspect(session.now.queue):find('"waited"', 1, true) ~= nil
end, "it was changed")
vim.cmd("Bowline steer by the way")
kit.write(project.folder .. "/go", { "" })
plugin.shows("Steered.")
plugin.shows("I heard: waited")
plugin.idle()

-- And stopping.
os.remove(project.folder .. "/go")
os.remove(project.folder .. "/started")
plugin.leave()
