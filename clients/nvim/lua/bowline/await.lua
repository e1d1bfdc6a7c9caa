--- Waiting for a callback inside a coroutine.
---
--- Neovim runs the handlers of a server's requests in a coroutine, so they may take their time. Some
--- pickers call back before they return, others much later: both are fine here, and a second call is
--- ignored.

local M = {}

--- Calls `start(done)` and gives what `done` is called with.
---@param start fun(done: fun(...))
---@return any ...
function M.await(start)
  local routine, is_main = coroutine.running()
  assert(routine and not is_main, "await needs a coroutine")
  local values
  start(function(...)
    if values then
      return
    end
    values = vim.F.pack_len(...)
    if coroutine.status(routine) == "suspended" then
      local ok, problem = coroutine.resume(routine)
      if not ok then
        vim.notify("bowline: " .. tostring(problem), vim.log.levels.ERROR)
      end
    end
  end)
  if not values then
    coroutine.yield()
  end
  return vim.F.unpack_len(values)
end

--- Runs a function that waits.
---@param work fun()
function M.run(work)
  local ok, problem = coroutine.resume(coroutine.create(work))
  if not ok then
    vim.notify("bowline: " .. tostring(problem), vim.log.levels.ERROR)
  end
end

--- One of `items`, and its place; nothing when the user closed the picker.
---@generic T
---@param items T[]
---@param options { prompt: string, kind?: string, format?: fun(item: T): string }
---@return T?, integer?
function M.select(items, options)
  return M.await(function(done)
    vim.ui.select(items, {
      prompt = options.prompt,
      kind = options.kind or "bowline",
      format_item = options.format,
    }, done)
  end)
end

--- A line of text; nothing when the user closed the field.
---@param options { prompt: string, default?: string }
---@return string?
function M.input(options)
  return M.await(function(done)
    vim.ui.input({ prompt = options.prompt, default = options.default }, done)
  end)
end

return M
