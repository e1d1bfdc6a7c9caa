# ask in a chat document, allow and deny by code actions, the edit in the open file, reject it again
from kit import Kate

kate = Kate({"main.md": "hello\nworld\n", "talk.bowline.md": "# Talk\n"}, first="talk.bowline.md")

# Kate says that it saved before it says what was typed; the prompt is heard all the same.
kate.ask('replace "world" with "moon" in main.md')
asked = lambda: [
    found
    for message in kate.said("textDocument/publishDiagnostics", "out")
    for found in message["params"]["diagnostics"]
    if found.get("code") == "permission"
]
kate.until(asked, "the question is in the text")
assert not kate.said("window/showMessageRequest", "out"), "it is answered where an edit is then taken"

# The other file is open too, and clean. Allowed by a code action, the edit lands in its buffer.
kate.key("alt+Left")
kate.until(lambda: len(kate.said("textDocument/didOpen")) == 2, "main.md is in front")
kate.action("Allow once")
kate.until(
    lambda: any("moon" in str(m["params"]) for m in kate.said("textDocument/didChange")),
    "the edit is in the buffer",
)
assert kate.on_disk("main.md") == "hello\nworld\n", "and not on the disk yet"

# Reviewed where it is.
kate.key("ctrl+Home", "Down")
kate.action("Reject this change")
kate.saved("main.md", "hello\nworld\n")

# What was said is in the document if Kate took it there, else in its output: it takes no edits out of
# the blue, only for two seconds after a code action.
told = lambda: "Replaced" in str(kate.said("textDocument/didChange")) or "Replaced" in str(
    kate.said("window/logMessage", "out")
)
kate.until(told, "the answer is somewhere to be read")

# Denied: nothing changes.
kate.key("alt+Right")
kate.ask('replace "hello" with "never" in main.md')
before = len(asked())
kate.until(lambda: len(asked()) > before or "never" in str(asked()[-1:]), "the next question")
kate.action("Deny")
kate.key("alt+Left")
kate.saved("main.md", "hello\nworld\n")
kate.stop()
