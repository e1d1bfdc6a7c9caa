# a selection is changed as the comment above it says, kept, and a command is stopped
from kit import Kate

MAIN = '<!-- replace "hello" with "good day" -->\nhello\nworld\n'
kate = Kate({"talk.bowline.md": "# Talk\n", "main.md": MAIN}, first="main.md")

kate.key("ctrl+Home", "Down", "shift+End")
kate.action("Edit with Bowline")
texts = lambda: [m["params"]["contentChanges"][0]["text"] for m in kate.said("textDocument/didChange")]
kate.until(lambda: any("\ngood day" in text for text in texts()), "the edit lands")
kate.action("Accept this change")
kate.saved("main.md", MAIN.replace("\nhello", "\ngood day"))

# A command that takes long, and its end.
kate.key("alt+Left")
kate.until(lambda: len(kate.said("textDocument/didOpen")) == 2, "the chat is in front")
kate.ask("run `sleep 600`")
kate.until(
    lambda: any("sleep 600" in str(m["params"]) for m in kate.said("$/progress", "out")),
    "the command runs",
)
ends = lambda: [m for m in kate.said("$/progress", "out") if m["params"]["value"]["kind"] == "end"]
before = len(ends())
kate.action("Stop Bowline")
kate.until(lambda: len(ends()) > before, "it stops")
kate.stop()
