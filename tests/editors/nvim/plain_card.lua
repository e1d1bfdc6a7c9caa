--- A bare client without message boxes: the question is a diagnostic, and code actions answer it

local kit = require("kit")

local project = kit.project()
local client, buffer = kit.start(project, {
  handlers = {
    ["window/showMessageRequest"] = function()
      return nil, vim.lsp.rpc_response_error(vim.lsp.protocol.ErrorCodes.MethodNotFound)
    end,
  },
})
local function card()
  return vim.iter(vim.diagnostic.get(buffer)):find(function(one)
    return one.source == "bowline"
  end)
end
local function actions(line)
  local at = { line = line, character = 0 }
  return kit.request(client, "textDocument/codeAction", {
    textDocument = { uri = vim.uri_from_bufnr(buffer) },
    range = { start = at, ["end"] = at },
    context = { diagnostics = {} },
  })
end
local function choose(words)
  local found = vim.iter(actions(0)):find(function(action)
    return action.title:find(words, 1, true) ~= nil
  end)
  kit.check(found ~= nil, "the action " .. words, actions(0))
  kit.request(client, "workspace/executeCommand", found.command)
end

kit.ask(client, 'replace "hello" with "goodbye" in main.rs')
kit.wait(card, "the question is in the text")
kit.check(card().lnum == 1, "at the line that would change", card())
kit.check(card().severity == vim.diagnostic.severity.INFO, "it is no error", card())
kit.check(card().message:find("Edit main.rs?", 1, true), "it says what is asked", card())
choose("Allow once: Edit main.rs?")
kit.wait(kit.said("Replaced"), "the answer")
kit.check(kit.lines(buffer)[2] == '    println!("goodbye");', "the edit", kit.lines(buffer))
kit.wait(function()
  return card() == nil
end, "the question is gone")

-- Denied, and the next question comes the same way without trying the box again.
kit.messages = {}
kit.ask(client, 'replace "goodbye" with "never" in main.rs')
kit.wait(card, "the second question")
choose("Deny: Edit main.rs?")
kit.wait(kit.said("did not work"), "it was denied")
kit.check(kit.lines(buffer)[2] == '    println!("goodbye");', "nothing changed", kit.lines(buffer))
kit.stop(client)
