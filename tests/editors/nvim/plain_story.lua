--- A bare client: unsaved text is read, the question comes as a message, the buffer changes, the disk does not

local kit = require("kit")

local project = kit.project()
local asked = {}
local client, buffer = kit.start(project, {
  handlers = {
    ["window/showMessageRequest"] = function(_, params)
      table.insert(asked, params)
      return params.actions[1]
    end,
  },
})
kit.type(buffer, 1, '    println!("hello, unsaved");')

local accepted = kit.ask(client, 'read main.rs then replace "hello" with "goodbye" in main.rs')
kit.check(accepted.disposition == "started", "the command returns when the prompt is accepted", accepted)

kit.wait(kit.said("Replaced"), "the answer is shown as a message")
kit.check(#asked == 1, "one question", asked)
kit.check(asked[1].message:find("main.rs", 1, true), "it names the file", asked)
kit.check(asked[1].actions[1].title == "Allow once", "the first answer allows once", asked)
kit.check(kit.lines(buffer)[2] == '    println!("goodbye, unsaved");', "the buffer has the edit", kit.lines(buffer))
kit.check(vim.bo[buffer].modified, "the buffer is modified, not saved")
kit.check(kit.read(project.main) == table.concat(kit.MAIN, "\n") .. "\n", "the disk has the old text")

-- The edit is one step of undo, and what the user typed before it stays.
vim.cmd.undo()
kit.check(kit.lines(buffer)[2] == '    println!("hello, unsaved");', "undo takes back the edit alone", kit.lines(buffer))

-- The server follows: it reads what undo left.
kit.messages = {}
kit.ask(client, "read main.rs")
kit.wait(kit.said("hello, unsaved"), "the server sees the buffer after undo")

-- Saved by the user, the disk has it.
vim.cmd.write()
kit.check(kit.read(project.main):find("hello, unsaved", 1, true), "saving is the user's")
kit.stop(client)
