--- Plugin: what is excluded never leaves, what is looked at is shared only when the user says so, and it is shown

local kit = require("kit")
local plugin = require("plugin")

local project = kit.project()
kit.write(project.folder .. "/.env", { "TOKEN=sesame-open" })
vim.fn.mkdir(project.folder .. "/keys", "p")
kit.write(project.folder .. "/keys/host.pem", { "sesame-pem" })
local log = project.base .. "/requests"
local env, _ = plugin.script(project, [==[
[[answer]]
when = "read it"
step = [{ tool = "Read", input = { file_path = "{{cwd}}/.env" } }]

[[answer]]
when = "search"
step = [{ tool = "Grep", input = { pattern = "sesame", path = "{{cwd}}", output_mode = "content" } }]

[[answer]]
forever = true
step = [{ text = "I got: {{prompt}}" }]
]==])
local bowline = plugin.setup(project, { env = env, session = { mode = "acceptEdits" } })
local buffer = plugin.open(project.main)
local client = require("bowline.client")

-- An excluded buffer is not opened with the server, and cannot be attached.
vim.cmd.edit(".env")
local secret = vim.api.nvim_get_current_buf()
vim.cmd.edit("keys/host.pem")
local key = vim.api.nvim_get_current_buf()
kit.check(not client.is_attached(secret) and not client.is_attached(key), "not opened with the server")
vim.cmd("1Bowline attach")
kit.check(#require("bowline.prompt").attached == 0, "not attached")
kit.check(plugin.noticed("not shared"), "and told why", plugin.notices)
vim.cmd("Bowline edit change it")
kit.wait(function()
  return vim.iter(plugin.notices):any(function(notice)
    return notice.text:find("*.pem", 1, true) ~= nil
  end)
end, "an inline edit there is refused")

-- Nor do the agent's own tools get at it.
bowline.ask("read it")
plugin.shows("I got:")
plugin.idle()
kit.check(not plugin.chat():find("sesame-open", 1, true), "reading is denied", plugin.chat())
bowline.ask("search")
kit.wait(function()
  local _, count = plugin.chat():gsub("I got:", "")
  return count == 2
end, "the search is answered")
plugin.idle()
kit.check(not plugin.chat():find("sesame-pem", 1, true), "nor is it found", plugin.chat())

-- What is looked at: nothing is said of it until the user shares it.
vim.api.nvim_set_current_buf(buffer)
vim.api.nvim_exec_autocmds("CursorMoved", {})
bowline.ask("hello there")
kit.wait(function()
  local _, count = plugin.chat():gsub("I got:", "")
  return count == 3
end, "an answer")
plugin.idle()
kit.check(not plugin.chat():find("Shared with the model", 1, true), "nothing is shared", plugin.chat())
vim.cmd("Bowline share on")
kit.wait(function()
  return client.get() ~= nil and client.is_attached(buffer) and require("bowline.session").now.connected
end, "the server is back")
vim.api.nvim_set_current_win(vim.fn.win_findbuf(buffer)[1])
vim.api.nvim_win_set_cursor(0, { 2, 3 })
local sent = 0
local notify = client.notify
client.notify = function(method, params)
  sent = sent + (method == "agent/editor/focus" and 1 or 0)
  return notify(method, params)
end
vim.api.nvim_exec_autocmds("CursorMoved", {})
kit.wait(function()
  return sent > 0
end, "the place is told")
bowline.ask("and now?")
plugin.shows("Shared with the model: that you look at main.rs.")
plugin.idle()
vim.cmd("Bowline share off")
sent = 0
vim.api.nvim_win_set_cursor(0, { 1, 0 })
vim.api.nvim_exec_autocmds("CursorMoved", {})
vim.wait(300)
kit.check(sent == 0, "off again: nothing more is told")
plugin.leave()
