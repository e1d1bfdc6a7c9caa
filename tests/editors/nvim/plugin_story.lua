--- Plugin: ask, read what is unsaved, permission with the change in sight, the edit in the buffer, undo, accept

local kit = require("kit")
local plugin = require("plugin")

local project = kit.project()
local bowline = plugin.setup(project)
local buffer = plugin.open(project.main)
local window = vim.api.nvim_get_current_win()
kit.type(buffer, 1, '    println!("hello, unsaved");')

local during
plugin.async_picker(function(items, options)
  during = { chat = plugin.chat(), diffs = 0, window = vim.api.nvim_get_current_win() }
  for _, one in ipairs(vim.api.nvim_list_wins()) do
    during.diffs = during.diffs + (vim.wo[one].diff and 1 or 0)
  end
  return plugin.take("Allow once")(items, options)
end)
bowline.ask('read main.rs then replace "hello" with "goodbye" in main.rs')
plugin.shows("Replaced `hello` with `goodbye`")
plugin.idle()

-- The question: the change is in the chat and in a split, and the caret stayed where it was.
kit.check(#plugin.asked == 1, "one question", plugin.asked)
kit.check(plugin.asked[1].options.prompt:find("main.rs", 1, true), "it names the file", plugin.asked)
kit.check(during.chat:find('+    println!("goodbye, unsaved");', 1, true), "the chat showed the change", during.chat)
kit.check(during.diffs == 2, "a diff was open beside the code", during)
kit.check(during.window == window, "nobody took the caret away")
kit.wait(function()
  return vim.iter(vim.api.nvim_list_wins()):all(function(one)
    return not vim.wo[one].diff
  end)
end, "the diff is closed with the answer")
kit.check(vim.api.nvim_get_current_win() == window, "the caret is where it was")

-- The edit: in the buffer, not on disk, one step of undo.
kit.check(kit.lines(buffer)[2] == '    println!("goodbye, unsaved");', "the buffer", kit.lines(buffer))
kit.check(not kit.read(project.main):find("unsaved", 1, true), "the disk is untouched")

-- The chat: the prompt, the calls and their results.
local chat = plugin.chat()
for _, words in ipairs({ "❯ read main.rs then", "● Read main.rs", "● Edit main.rs", "Edit main.rs? — Allow once" }) do
  kit.check(chat:find(words, 1, true), "the chat has " .. words, chat)
end
kit.check(vim.wo[require("bowline.chat").window()].foldmethod == "expr", "its folds")

-- The change waits for a decision, is shown where it is, and is kept.
local hunks = require("bowline.hunks")
kit.wait(function()
  return #hunks.of(buffer) == 1
end, "one change to review")
kit.check(hunks.of(buffer)[1].first == 1, "in the second line", hunks.of(buffer))
kit.check(bowline.statusline():find("1 to review", 1, true), "the statusline counts it", bowline.statusline())
vim.api.nvim_win_set_cursor(window, { 2, 0 })
plugin.press("<leader>va")
kit.wait(function()
  return hunks.count() == 0
end, "it is accepted")
kit.check(kit.lines(buffer)[2] == '    println!("goodbye, unsaved");', "and stays", kit.lines(buffer))
kit.check(vim.fn.maparg("<leader>va", "n") == "", "the keys are gone with the last change")

-- The editor's own undo takes back the agent's step alone.
vim.cmd.undo()
kit.check(kit.lines(buffer)[2] == '    println!("hello, unsaved");', "undo", kit.lines(buffer))
plugin.leave()
