--- A bare client: a dismissed question denies, and nothing changes

local kit = require("kit")

local project = kit.project()
local asked = 0
local client, buffer = kit.start(project, {
  handlers = {
    ["window/showMessageRequest"] = function()
      asked = asked + 1
      return vim.NIL
    end,
  },
})
kit.ask(client, 'replace "hello" with "goodbye" in main.rs')
kit.wait(function()
  return asked == 1 and #kit.progress > 0 and kit.progress[#kit.progress].value.kind == "end"
end, "the question was asked and the turn ended")
kit.check(vim.deep_equal(kit.lines(buffer), kit.MAIN), "the buffer is as it was", kit.lines(buffer))
kit.check(not vim.bo[buffer].modified, "the buffer is not modified")
kit.stop(client)
