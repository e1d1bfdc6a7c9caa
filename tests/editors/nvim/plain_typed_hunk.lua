--- A bare client: text typed above, inside and below a change stays when the change is rejected where it is by then

local kit = require("kit")

local project = kit.project()
local client, buffer = kit.start(project, {
  handlers = {
    ["window/showMessageRequest"] = function(_, params)
      return params.actions[1]
    end,
  },
})
local uri = vim.uri_from_bufnr(buffer)
kit.ask(client, 'replace "hello" with "goodbye" in main.rs')
kit.wait(kit.said("Replaced"), "the answer")
kit.check(kit.lines(buffer)[2] == '    println!("goodbye");', "the edit", kit.lines(buffer))

-- Above, below, and in the middle of the new text, as one batch of the client.
vim.api.nvim_buf_set_lines(buffer, 0, 0, true, { "// above 🪢", "// above too" })
vim.api.nvim_buf_set_lines(buffer, -1, -1, true, { "// below" })
vim.api.nvim_buf_set_text(buffer, 3, 17, 3, 17, { "TYPED" })
kit.check(kit.lines(buffer)[4] == '    println!("gooTYPEDdbye");', "typed inside", kit.lines(buffer))

local line = 3
local list = kit.request(client, "textDocument/codeAction", {
  textDocument = { uri = uri },
  range = { start = { line = line, character = 4 }, ["end"] = { line = line, character = 4 } },
  context = { diagnostics = {} },
})
local reject = vim.iter(list):find(function(action)
  return action.title:find("Reject this change", 1, true) ~= nil
end)
kit.check(reject ~= nil, "the change is found where it is now", list)
kit.request(client, "workspace/executeCommand", reject.command)
kit.wait(function()
  return not table.concat(kit.lines(buffer)):find("dbye", 1, true)
end, "it is rejected")
local left = table.concat(kit.lines(buffer), "\n")
kit.check(left:gsub("TYPED", "") == table.concat({
  "// above 🪢",
  "// above too",
  "fn main() {",
  '    println!("hello");',
  "}",
  "// below",
}, "\n"), "only the change is gone", left)
kit.check(left:find("TYPED", 1, true) ~= nil, "what was typed inside stays", left)
kit.stop(client)
