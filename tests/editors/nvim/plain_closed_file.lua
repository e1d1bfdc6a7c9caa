--- A file that is not open is written to disk; an open one beside it is not

local kit = require("kit")

local project = kit.project()
local other = project.folder .. "/other.rs"
local file = assert(io.open(other, "w"))
file:write('// says "hello"\n')
file:close()

local client, buffer = kit.start(project, {
  handlers = {
    ["window/showMessageRequest"] = function(_, params)
      return params.actions[1]
    end,
  },
})
kit.ask(client, 'replace "hello" with "goodbye" in other.rs then replace "hello" with "goodbye" in main.rs')
kit.wait(function()
  return kit.lines(buffer)[2] == '    println!("goodbye");'
end, "the open file changes in the editor")
kit.wait(function()
  return kit.read(other) == '// says "goodbye"\n'
end, "the closed file changes on disk")
kit.check(kit.read(project.main):find("hello", 1, true), "the open file's disk copy is untouched")
kit.stop(client)
