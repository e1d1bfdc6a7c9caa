--- Plugin: real language servers: their findings reach the agent, it asks them, and their quick fixes are mended

local kit = require("kit")
local plugin = require("plugin")

local project = kit.project()
local file = project.folder .. "/app.py"
kit.write(file, { "import os", "", "", "def greet(name: str) -> str:", "    # größe 🪢", "    return 1", "", "", "greet(2)" })
kit.write(project.folder .. "/pyproject.toml", { "[tool.basedpyright]", 'typeCheckingMode = "standard"' })
local env = plugin.script(project, [==[
[[answer]]
when = "wrong"
step = [{ tool = "LanguageServer", input = { operation = "diagnostics", file_path = "{{cwd}}/app.py" } }]

[[answer]]
when = "reportReturnType"
step = [{ tool = "LanguageServer", input = { operation = "references", file_path = "{{cwd}}/app.py", line = 4, symbol = "greet" } }]

[[answer]]
when = "return 1"
step = [{ text = "def greet(name: str) -> str:\n    # größe 🪢\n    return name" }]

[[answer]]
forever = true
step = [{ text = "Seen: {{prompt}}" }]
]==])
local bowline = plugin.setup(project, { env = env })
local buffer = plugin.open(file)
vim.bo[buffer].filetype = "python"
local bin = vim.env.PEERS .. "/bin/"
vim.lsp.start({ name = "basedpyright", cmd = { bin .. "basedpyright-langserver", "--stdio" }, root_dir = project.folder })
vim.lsp.start({ name = "ruff", cmd = { bin .. "ruff", "server" }, root_dir = project.folder })
local function found(words)
  return vim.iter(vim.diagnostic.get(buffer)):any(function(one)
    return one.message:find(words, 1, true) ~= nil
  end)
end
kit.wait(function()
  return found("not assignable to return type") and found("`os` imported but unused")
end, "both servers found something")

-- The agent hears of both, and asks one of them on.
bowline.ask("what is wrong?")
plugin.shows("Seen:")
plugin.idle()
local text = plugin.chat()
for _, words in ipairs({ "reportReturnType", "imported but unused", "app.py:4", "app.py:9" }) do
  kit.check(text:find(words, 1, true), "the agent knows " .. words, text)
end

-- A fix from the editor's own menu of code actions, told apart by its title.
vim.api.nvim_win_set_cursor(vim.fn.win_findbuf(buffer)[1], { 6, 11 })
plugin.async_picker(function(items, options)
  return plugin.take("Fix with Bowline")(items, options)
end)
vim.api.nvim_set_current_win(vim.fn.win_findbuf(buffer)[1])
vim.lsp.buf.code_action()
kit.wait(function()
  return kit.lines(buffer)[6] == "    return name"
end, "the code action mended it: " .. vim.inspect(plugin.asked))
kit.wait(function()
  return not found("not assignable to return type")
end, "the language server agrees")
for _, client in ipairs(vim.lsp.get_clients()) do
  if client.name ~= "bowline" then
    kit.stop(client)
  end
end
plugin.leave()
