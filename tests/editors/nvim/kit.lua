--- What the Neovim tests share: a project of their own, a client, and waits with a deadline.
---
--- A test is a file here, run by `nvim --headless --clean -l FILE`: it fails by an error. Waiting goes
--- through `vim.wait`, which serves the editor's events meanwhile; nothing sleeps for luck.

local M = {}

local DEADLINE = 30000
local PAUSE = 10

-- From 0.11 on a client's functions are methods.
local METHODS = vim.fn.has("nvim-0.11") == 1

M.MAIN = { "fn main() {", '    println!("hello");', "}" }

function M.write(path, lines)
  local file = assert(io.open(path, "w"))
  file:write(table.concat(lines, "\n"), "\n")
  file:close()
end

function M.read(path)
  local file = assert(io.open(path))
  local text = file:read("*a")
  file:close()
  return text
end

function M.check(condition, what, seen)
  if not condition then
    error(what .. (seen == nil and "" or (": " .. vim.inspect(seen))), 2)
  end
end

function M.wait(condition, what)
  if not vim.wait(DEADLINE, condition, PAUSE) then
    what = type(what) == "function" and what() or what
    error("never came true: " .. what .. "\n" .. M.log(), 2)
  end
end

--- A folder with one file, and a home that belongs to this test alone.
function M.project()
  local base = vim.fn.tempname()
  local project = { folder = base .. "/project", home = base .. "/home", base = base }
  vim.fn.mkdir(project.folder, "p")
  vim.fn.mkdir(project.home, "p")
  project.main = project.folder .. "/main.rs"
  M.write(project.main, M.MAIN)
  return project
end

M.messages = {}
M.progress = {}

--- What the server said, for a failure's report.
function M.log()
  return "messages: " .. vim.inspect(M.messages) .. "\nprogress: " .. vim.inspect(M.progress)
end

function M.said(text)
  return function()
    return vim.iter(M.messages):any(function(message)
      return message:find(text, 1, true) ~= nil
    end)
  end
end

--- How any user would write the configuration of a language server; `more` goes on top.
function M.config(project, more)
  local config = {
    name = "bowline",
    cmd = { vim.env.BOWLINE_BIN, "serve" },
    cmd_env = { HOME = project.home, BOWLINE_HOME = project.home .. "/bowline" },
    root_dir = project.folder,
    handlers = {
      ["window/showMessage"] = function(_, params)
        table.insert(M.messages, params.message)
      end,
      ["$/progress"] = function(_, params)
        table.insert(M.progress, params)
      end,
    },
  }
  return vim.tbl_deep_extend("force", config, more or {})
end

--- Opens the project's file and attaches a client; gives the client and the buffer.
function M.start(project, more)
  vim.cmd.edit(vim.fn.fnameescape(project.main))
  local buffer = vim.api.nvim_get_current_buf()
  local id = assert(vim.lsp.start(M.config(project, more), { bufnr = buffer }))
  local client = assert(vim.lsp.get_client_by_id(id))
  M.wait(function()
    return client.initialized == true
  end, "the server is initialized")
  return client, buffer
end

--- Sends a request and gives its result.
function M.request(client, method, params)
  local answer
  local function take(err, result)
    answer = { err = err, result = result }
  end
  if METHODS then
    client:request(method, params, take)
  else
    client.request(method, params, take)
  end
  M.wait(function()
    return answer ~= nil
  end, method .. " is answered")
  M.check(answer.err == nil, method .. " gave an error", answer.err)
  return answer.result
end

--- Asks as a plain client does.
function M.ask(client, text)
  return M.request(client, "workspace/executeCommand", {
    command = "bowline.ask",
    arguments = { text },
  })
end

function M.lines(buffer)
  return vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
end

--- Changes a line of the buffer as typing does, without saving: a step of undo of its own.
function M.type(buffer, line, text)
  vim.api.nvim_buf_set_lines(buffer, line, line + 1, true, { text })
  -- Setting the option closes the step, as leaving insert mode does.
  vim.bo[buffer].undolevels = vim.bo[buffer].undolevels
end

--- The server's process ends with its client.
function M.stop(client)
  if METHODS then
    client:stop()
  else
    client.stop()
  end
  M.wait(function()
    return #vim.lsp.get_clients({ name = client.name }) == 0
  end, "the server has stopped")
end

function M.notify(client, method, params)
  if METHODS then
    client:notify(method, params)
  else
    client.notify(method, params)
  end
end

return M
