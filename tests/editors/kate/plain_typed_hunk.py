# text typed above, inside and below a change stays when the change is rejected where it is by then
from kit import Kate

kate = Kate({"main.md": "hello\nworld\n", "talk.bowline.md": "# Talk\n"}, first="talk.bowline.md")
kate.ask('replace "world" with "moonlight" in main.md')
asked = lambda: [
    found
    for message in kate.said("textDocument/publishDiagnostics", "out")
    for found in message["params"]["diagnostics"]
    if found.get("code") == "permission"
]
kate.until(asked, "the question is in the text")
kate.key("alt+Left")
kate.until(lambda: len(kate.said("textDocument/didOpen")) == 2, "main.md is in front")
kate.action("Allow once")
changes = lambda: str(kate.said("textDocument/didChange"))
kate.until(lambda: "moonlight" in changes(), "the edit is in the buffer")

# Above, below, and in the middle of the new text.
kate.key("ctrl+Home")
kate.type("above")
kate.key("Return", "ctrl+End")
kate.type("below")
kate.key("ctrl+Home", "Down", "Down", "Right", "Right", "Right", "Right")
kate.type("TYPED")
kate.until(lambda: "D" in changes(), "the typing was told")
kate.action("Reject this change")
left = ["above", "hello", "world", "below"]
# Kate ends a file with a line break when it saves it.
kate.saved("main.md", lambda text: "TYPED" in text and text.replace("TYPED", "").split() == left)
kate.stop()
