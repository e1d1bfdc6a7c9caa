-- The commands are there from the start; everything else is loaded when one of them is used.
if vim.g.loaded_bowline then
  return
end
vim.g.loaded_bowline = true

require("bowline.commands").define()

for name, action in pairs({
  accept = "hunks.at_cursor('accept')",
  reject = "hunks.at_cursor('reject')",
  ["accept-all"] = "hunks.all('accept')",
  ["reject-all"] = "hunks.all('reject')",
  next = "hunks.jump(1)",
  previous = "hunks.jump(-1)",
  undo = "hunks.undo()",
  chat = "chat.toggle()",
}) do
  local room, call = action:match("^(%w+)%.(.*)$")
  vim.keymap.set("n", ("<Plug>(bowline-%s)"):format(name), ("<Cmd>lua require('bowline').ready(); require('bowline.%s').%s<CR>"):format(room, call))
end
for _, action in ipairs({ "accept", "reject" }) do
  vim.keymap.set({ "n", "x" }, ("<Plug>(bowline-%s-motion)"):format(action), function()
    require("bowline").ready()
    return require("bowline.hunks").operator(action)
  end, { expr = true })
end
vim.keymap.set("x", "<Plug>(bowline-edit)", ":Bowline edit<CR>", { silent = true })
vim.keymap.set("x", "<Plug>(bowline-ask)", ":Bowline ask<CR>", { silent = true })
