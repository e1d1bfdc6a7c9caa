--- Set up as users do today, with vim.lsp.config and vim.lsp.enable

local kit = require("kit")

local project = kit.project()
local config = kit.config(project, { filetypes = { "rust" } })
vim.lsp.config("bowline", config)
vim.lsp.enable("bowline")
vim.cmd.filetype("on")
vim.cmd.edit(vim.fn.fnameescape(project.main))
vim.bo.filetype = "rust"

local client
kit.wait(function()
  client = vim.lsp.get_clients({ name = "bowline", bufnr = 0 })[1]
  return client ~= nil and client.initialized
end, "the client is attached")
kit.check(client.offset_encoding == "utf-8", "the encoding Neovim prefers is taken", client.offset_encoding)
kit.ask(client, "read main.rs")
kit.wait(kit.said('println!("hello")'), "the answer")
kit.stop(client)
