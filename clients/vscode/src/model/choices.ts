// The lists that pickers offer, in the chat and in the command palette.

export const MODES = [
  { id: "default", label: "Ask", detail: "asks before it changes or runs something" },
  { id: "acceptEdits", label: "Accept edits", detail: "edits without asking, asks for the rest" },
  { id: "auto", label: "Auto", detail: "a quick model answers what would be asked" },
  { id: "plan", label: "Plan", detail: "reads and plans, changes nothing" },
  { id: "dontAsk", label: "Don’t ask", detail: "does what is allowed already, refuses the rest" },
  { id: "bypassPermissions", label: "Bypass", detail: "asks for nothing at all" },
];

export const EFFORTS = ["low", "medium", "high", "xhigh", "max"];
