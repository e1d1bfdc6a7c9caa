--- A bare client: fix a diagnostic by a code action; changes by lens, action and hover; as a diff; rejected and taken back

local kit = require("kit")

local project = kit.project()
local shown = {}
local client, buffer = kit.start(project, {
  handlers = {
    ["window/showMessageRequest"] = function(_, params)
      return params.actions[1]
    end,
    ["window/showDocument"] = function(_, params)
      table.insert(shown, params)
      return { success = true }
    end,
  },
})
local uri = vim.uri_from_bufnr(buffer)
local function actions(diagnostics)
  return kit.request(client, "textDocument/codeAction", {
    textDocument = { uri = uri },
    range = { start = { line = 1, character = 4 }, ["end"] = { line = 1, character = 4 } },
    context = { diagnostics = diagnostics or {} },
  })
end
local function choose(words, diagnostics)
  local list = actions(diagnostics)
  local found = vim.iter(list):find(function(action)
    return action.title:find(words, 1, true) ~= nil
  end)
  kit.check(found ~= nil, "the action " .. words, list)
  kit.request(client, "workspace/executeCommand", found.command)
end

-- A problem that says how it wants to be mended.
local range = { start = { line = 1, character = 13 }, ["end"] = { line = 1, character = 20 } }
local problem = { range = range, message = "cannot find value `hello`, did you mean `world`?", severity = 1 }
choose("Fix with Bowline", { problem })
kit.wait(function()
  return kit.lines(buffer)[2] == '    println!("world");'
end, "the fix is in the text")

-- Lenses, hover, and the diff as a document.
local lenses
kit.wait(function()
  lenses = kit.request(client, "textDocument/codeLens", { textDocument = { uri = uri } })
  return #lenses >= 2
end, "lenses to accept and reject")
local hover = kit.request(client, "textDocument/hover", {
  textDocument = { uri = uri },
  position = { line = 1, character = 2 },
})
kit.check(hover.contents.value:find('-    println!("hello");', 1, true), "hover shows what was there", hover)
choose("Show the changes of this file")
kit.wait(function()
  return #shown == 1
end, "the editor is asked to show a page")
local diff = kit.read(vim.uri_to_fname(shown[1].uri))
kit.check(diff:find('-    println!("hello");\n+    println!("world");', 1, true), "the diff", diff)

-- Rejected, and the decision taken back.
choose("Reject this change")
kit.wait(function()
  return vim.deep_equal(kit.lines(buffer), kit.MAIN)
end, "it is as it was")
kit.wait(function()
  return vim.iter(actions()):any(function(action)
    return action.title:find("Undo the last decision", 1, true) ~= nil
  end)
end, "it can be taken back")
kit.request(client, "workspace/executeCommand", { command = "bowline.undo" })
kit.wait(function()
  return kit.lines(buffer)[2] == '    println!("world");'
end, "it is back")
kit.stop(client)
