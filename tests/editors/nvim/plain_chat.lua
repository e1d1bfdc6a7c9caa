--- A bare client: a chat document: a saved > block is asked, the answer grows below it, with completion and commands

local kit = require("kit")

local project = kit.project()
local file = project.folder .. "/talk.bowline.md"
kit.write(file, { "# Talk", "", "> read main.rs" })
project.main = file
local client, buffer = kit.start(project)
local function text()
  return table.concat(kit.lines(buffer), "\n")
end
local function has(words)
  return function()
    return text():find(words, 1, true) ~= nil
  end
end

-- Saved as it is: asked and answered, and nothing of that in a message box.
vim.cmd("write!")
kit.wait(has('println!("hello");'), function()
  return "the answer is in the document:\n" .. text()
end)
kit.wait(has("\n---"), "the answer ends with a line across the page")
kit.check(text():find("- Read main.rs (completed)", 1, true), "the calls are listed", text())
kit.check(not kit.said("hello")(), "no message box", kit.messages)
kit.check(kit.read(file) == "# Talk\n\n> read main.rs\n", "the disk is the user's")

-- Saving once more asks nothing; another block does, also while the user types on.
vim.cmd("write!")
vim.api.nvim_buf_set_lines(buffer, -1, -1, true, { "", "> say good", "> say morning" })
vim.cmd("write!")
vim.api.nvim_buf_set_lines(buffer, -1, -1, true, { "", "a note of mine" })
kit.wait(function()
  local _, lines = text():gsub("%-%-%-", "")
  return lines == 2
end, function()
  return "the second answer:\n" .. text()
end)
kit.check(text():find("\ngood\n", 1, true) and text():find("\nmorning", 1, true), "both lines were asked", text())
kit.check(text():find("\na note of mine", 1, true), "the note stays", text())
local _, answers = text():gsub("%-%-%-", "")
kit.check(answers == 2, "two prompts, two answers", text())

-- Completion of commands and files, in a prompt and nowhere else.
local function complete(line)
  vim.api.nvim_buf_set_lines(buffer, -1, -1, true, { "", line })
  local result = kit.request(client, "textDocument/completion", {
    textDocument = { uri = vim.uri_from_bufnr(buffer) },
    position = { line = vim.api.nvim_buf_line_count(buffer) - 1, character = #line },
  })
  return vim.iter(result.items):map(function(item)
    return item.textEdit.newText
  end):totable()
end
kit.check(vim.tbl_contains(complete("> /cos"), "/cost"), "commands")
kit.check(vim.tbl_contains(complete("> look at @mai"), "@main.rs"), "files")
kit.check(#complete("look at @mai") == 0, "not outside of a prompt")

-- A command of the session.
vim.api.nvim_buf_set_lines(buffer, -1, -1, true, { "", "> /cost" })
vim.cmd("write!")
kit.wait(function()
  local _, lines = text():gsub("%-%-%-", "")
  return lines == 3
end, function()
  return "the command is answered:\n" .. text()
end)
kit.stop(client)
