--- `:checkhealth bowline`.

local M = {}

local function check_editor()
  vim.health.start("Neovim")
  if vim.fn.has("nvim-0.10") == 1 then
    vim.health.ok(tostring(vim.version()))
  else
    vim.health.error("Neovim 0.10 or newer is needed")
  end
  if pcall(vim.treesitter.get_string_parser, "", "markdown") then
    vim.health.ok("the chat is highlighted with tree-sitter")
  else
    vim.health.warn("there is no Markdown parser; the chat uses plain syntax")
  end
end

local function check_options(config)
  vim.health.start("Options")
  if #config.unknown > 0 then
    vim.health.error("unknown: " .. table.concat(config.unknown, ", "), "see :help bowline-options")
  else
    vim.health.ok("all known")
  end
  local share = config.options.share
  vim.health.info("what you look at is " .. (share.focus and "shared with the model" or "not shared"))
  vim.health.info("diagnostics of other servers are " .. (share.diagnostics and "sent" or "not sent"))
  vim.health.info("never shared: " .. table.concat(share.exclude, "  "))
end

---@return boolean
local function check_program(config)
  vim.health.start("Server")
  local program = config.options.cmd[1]
  local path = vim.fn.exepath(program)
  if path == "" then
    vim.health.error(("there is no program %q"):format(program), {
      "install Bowline and put it on the PATH",
      "or say where it is: require('bowline').setup{ cmd = { '/path/to/bowline', 'serve' } }",
    })
    return false
  end
  local ok, result = pcall(function()
    return vim.system({ path, "--version" }, { text = true }):wait(5000)
  end)
  if ok and result.code == 0 then
    vim.health.ok(("%s: %s"):format(path, vim.trim(result.stdout)))
    return true
  end
  vim.health.error(path .. " --version does not work")
  return false
end

local function check_connection(client)
  if not client.get() then
    return vim.health.info("not running; it starts with the first file of a project or the first prompt")
  end
  vim.health.ok("running for " .. client.root)
  local done, status
  client.request("agent/status", vim.empty_dict(), function(result)
    done, status = true, result
  end)
  vim.wait(3000, function()
    return done
  end, 10)
  if not status then
    return vim.health.error("it does not answer", "try :Bowline restart")
  end
  local model = status.model
  if model.problem then
    vim.health.warn(("the model %s: %s"):format(model.id, model.problem))
  elseif model.provider == "rehearsal" then
    vim.health.info("the model is the built-in rehearsal; set ANTHROPIC_API_KEY for a real one")
  else
    vim.health.ok(("the model is %s of %s"):format(model.id, model.provider))
  end
  if status.sandbox and status.sandbox.problem then
    vim.health.warn("sandbox: " .. status.sandbox.problem)
  elseif status.sandbox then
    vim.health.ok("commands are kept in by " .. status.sandbox.kind)
  end
end

function M.check()
  local config, client = require("bowline.config"), require("bowline.client")
  check_editor()
  check_options(config)
  if check_program(config) then
    check_connection(client)
  end
end

return M
