--- The plugin as a user has it: on the runtime path, set up with a table, driven by commands and keys.

local kit = require("kit")

local M = {}

local here = vim.fs.dirname(debug.getinfo(1, "S").source:sub(2))
M.path = vim.fs.normalize(here .. "/../../../clients/nvim")

--- What `vim.notify` was told.
M.notices = {}

--- What was put to the user, and how they answer: `M.choose(items, options)` gives an item, or nothing.
M.asked = {}

--- A picker that calls back before it returns, as Neovim's own does.
function M.sync_picker(choose)
  vim.ui.select = function(items, options, done)
    table.insert(M.asked, { items = items, options = options })
    done(choose(items, options))
  end
end

--- A picker that calls back from a later event, as the ones people install do.
function M.async_picker(choose)
  vim.ui.select = function(items, options, done)
    table.insert(M.asked, { items = items, options = options })
    vim.defer_fn(function()
      done(choose(items, options))
    end, 20)
  end
end

--- A chooser that takes the first item whose label has these words.
function M.take(words)
  return function(items, options)
    for at, item in ipairs(items) do
      local label = options.format_item and options.format_item(item) or tostring(item)
      if label:find(words, 1, true) then
        return item, at
      end
    end
    error(("there is no %q among %s"):format(words, vim.inspect(items)))
  end
end

--- Sets the plugin up in a project; gives the module.
function M.setup(project, options)
  vim.fn.mkdir(project.folder .. "/.git", "p")
  vim.opt.runtimepath:prepend(M.path)
  vim.cmd.source(M.path .. "/plugin/bowline.lua")
  vim.cmd.cd(vim.fn.fnameescape(project.folder))
  vim.notify = function(text, level)
    table.insert(M.notices, { text = text, level = level })
    if level == vim.log.levels.ERROR then
      table.insert(kit.messages, text)
    end
  end
  M.async_picker(M.take("Allow once"))
  local env = { HOME = project.home, BOWLINE_HOME = project.home .. "/bowline" }
  local defaults = { cmd = { vim.env.BOWLINE_BIN, "serve" }, env = env }
  local bowline = require("bowline")
  bowline.setup(vim.tbl_deep_extend("force", defaults, options or {}))
  return bowline
end

--- Opens the project's file and waits until the server has it.
function M.open(path)
  vim.cmd.edit(vim.fn.fnameescape(path))
  local buffer = vim.api.nvim_get_current_buf()
  kit.wait(function()
    return require("bowline.client").is_attached(buffer)
  end, "the server has " .. path)
  return buffer
end

function M.chat()
  return table.concat(kit.lines(require("bowline.chat").buffer()), "\n")
end

--- Waits until the chat shows this.
function M.shows(text)
  kit.wait(function()
    return M.chat():find(text, 1, true) ~= nil
  end, function()
    return ("the chat shows %q in\n%s\nnotices %s"):format(text, M.chat(), vim.inspect(M.notices))
  end)
end

--- Waits until nothing runs.
function M.idle()
  kit.wait(function()
    return not require("bowline.session").is_busy()
  end, function()
    return "the turn has ended; the chat:\n" .. M.chat()
  end)
end

function M.noticed(text)
  return vim.iter(M.notices):any(function(notice)
    return notice.text:find(text, 1, true) ~= nil
  end)
end

--- Presses keys as a user does, and lets Neovim act on them.
function M.press(keys)
  vim.api.nvim_feedkeys(vim.keycode(keys), "mx", false)
end

--- A model that says what a script says; gives the environment that leads there.
function M.script(project, toml)
  local file = project.base .. "/script.toml"
  kit.write(file, vim.split(toml, "\n"))
  local address
  local job = vim.system({ vim.env.BOWLINE_BIN, "model-server", "--scenario", file }, {
    stdout = function(_, data)
      address = address or (data and data:match("http://%S+"))
    end,
  })
  kit.wait(function()
    return address ~= nil
  end, "the model serves")
  vim.api.nvim_create_autocmd("VimLeavePre", {
    callback = function()
      job:kill("sigterm")
    end,
  })
  return { ANTHROPIC_BASE_URL = address, ANTHROPIC_API_KEY = "sk-ant-test" }, job
end

function M.leave()
  require("bowline").stop()
  kit.wait(function()
    return not require("bowline.client").exists()
  end, "the server has stopped")
end

return M
