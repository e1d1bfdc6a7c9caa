--- Neovim's own question: its default handler with a picker that answers later

local kit = require("kit")

local project = kit.project()
local offered
vim.ui.select = function(items, options, choose)
  offered = { items = items, prompt = options.prompt, format = options.format_item }
  -- As a picker does: the answer comes from a later event.
  vim.defer_fn(function()
    choose(items[1], 1)
  end, 50)
end

local client, buffer = kit.start(project)
kit.ask(client, 'replace "hello" with "goodbye" in main.rs')
kit.wait(kit.said("Replaced"), "the answer")
kit.check(offered ~= nil and #offered.items >= 2, "the picker offered the answers", offered)
kit.check(kit.lines(buffer)[2] == '    println!("goodbye");', "the buffer has the edit", kit.lines(buffer))
kit.stop(client)
