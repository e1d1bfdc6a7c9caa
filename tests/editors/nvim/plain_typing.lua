--- The user types while the question is open: the edit moves along, and both texts stay

local kit = require("kit")

local project = kit.project()
local answer
local client, buffer = kit.start(project, {
  handlers = {
    ["window/showMessageRequest"] = function(_, params)
      local waiting = coroutine.running()
      answer = function()
        coroutine.resume(waiting, params.actions[1])
      end
      return coroutine.yield()
    end,
  },
})
kit.ask(client, 'replace "hello" with "goodbye" in main.rs')
kit.wait(function()
  return answer ~= nil
end, "the question")

vim.api.nvim_buf_set_lines(buffer, 0, 0, true, { "// naïve 🪢 first", "// second" })
vim.api.nvim_buf_set_lines(buffer, -1, -1, true, { "// last" })
answer()

kit.wait(kit.said("Replaced"), "the answer")
kit.check(
  vim.deep_equal(kit.lines(buffer), {
    "// naïve 🪢 first",
    "// second",
    "fn main() {",
    '    println!("goodbye");',
    "}",
    "// last",
  }),
  "the buffer has both",
  kit.lines(buffer)
)

-- From here the server's text is the editor's: positions after wide characters still fit.
kit.messages, answer = {}, nil
kit.ask(client, 'replace "🪢 first" with "🪢 1st" in main.rs')
kit.wait(function()
  return answer ~= nil
end, "the second question")
answer()
kit.wait(kit.said("Replaced"), "the second answer")
kit.check(kit.lines(buffer)[1] == "// naïve 🪢 1st", "the wide line", kit.lines(buffer))
kit.stop(client)
