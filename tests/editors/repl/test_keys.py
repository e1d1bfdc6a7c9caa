"""Keys of one's own: a file that changes them, at once, and says what is wrong with it."""

import json

from terminal import check


def own_file(project):
    file = project.home / "bowline" / "keybindings.json"
    file.parent.mkdir(exist_ok=True)
    return file


def test_keybindings(project, terminal):
    """A key is bound, another one is not any more, two follow one another; the file counts from its change on."""
    file = own_file(project)
    block = {"context": "Chat", "bindings": {"f5": "app:toggleTranscript", "ctrl+k": None, "ctrl+x t": "app:tasks"}}
    file.write_text("// mine\n" + json.dumps({"bindings": [block]}))
    terminal.start()
    terminal.press("F5")
    terminal.wait("escape back")
    terminal.press("q")
    terminal.wait_for_input()
    terminal.type("keep this")
    terminal.press("C-a", "C-k")
    terminal.press("C-x")
    terminal.wait("ctrl+x …")
    terminal.press("t")
    terminal.wait("Background tasks")
    terminal.press("Escape")
    terminal.wait("› keep this")
    terminal.press("C-x", "z")
    terminal.wait("ctrl+x z does nothing")
    # Another file from now on, without leaving.
    file.write_text(json.dumps({"bindings": [{"context": "Chat", "bindings": {"f6": "app:toggleTranscript"}}]}))
    terminal.wait(lambda s: pressed(terminal, s), "the page by its new key")
    terminal.press("q")
    terminal.press("C-a", "C-k")
    terminal.wait_for_input()


def pressed(terminal, screen):
    if "escape back" in screen:
        return True
    terminal.press("F6")
    return False


def test_keybindings_slips(project, terminal):
    """A slip is told with its line and what was meant; the rest of the file counts; /keybindings lists all."""
    own_file(project).write_text(
        '{\n  "bindings": [\n    {"context": "Chat", "bindings": {\n'
        '      "ctrl+e": "chat:externalEditr",\n      "ctrl+c": "chat:undo",\n      "f5": "app:toggleTranscript"\n'
        "    }}\n  ]\n}\n"
    )
    terminal.resize(120, 40)
    terminal.start()
    shown = terminal.wait("line 5", look=terminal.transcript)
    check("line 4: there is no action `chat:externalEditr`; did you mean `chat:externalEditor`?" in " ".join(shown.split()), "the slip is told", shown)
    terminal.press("F5")
    terminal.wait("escape back")
    terminal.press("q")
    terminal.say("/keybindings")
    shown = terminal.wait("Your own keys:", look=terminal.transcript)
    for part in ["chat:submit", "ctrl+g, ctrl+x ctrl+e", "ctrl+o, f5", "transcript:searchNext", "confirm:yes", "sessions:rename"]:
        check(part in shown, f"{part} is listed", shown)


def test_keybindings_template(project, terminal):
    """/keybindings init writes a file with everything in it, as comments; a second time leaves it alone."""
    terminal.start()
    terminal.say("/keybindings init")
    terminal.wait("Written, for you to change")
    text = own_file(project).read_text()
    check('// "ctrl+o": "app:toggleTranscript",' in text, "the actions are there", text)
    own_file(project).write_text(text.replace('// "ctrl+o": "app', '"f7": "app'))
    terminal.wait(lambda s: again(terminal, s), "the page by the key that was written")
    terminal.press("q")
    terminal.say("/keybindings init")
    terminal.wait("There is one already")
    check('"f7": "app' in own_file(project).read_text(), "it is as the user left it")


def again(terminal, screen):
    if "escape back" in screen:
        return True
    terminal.press("F7")
    return False


def test_keys_of_another_agent(project, terminal):
    """~/.claude/keybindings.json counts, too; what it has that we have not is passed over in silence."""
    file = project.home / ".claude" / "keybindings.json"
    file.parent.mkdir()
    bindings = {"ctrl+y": "app:toggleTranscript", "ctrl+e": "voice:pushToTalk"}
    blocks = [{"context": "Chat", "bindings": bindings}, {"context": "Tabs", "bindings": {"tab": "tabs:next"}}]
    file.write_text(json.dumps({"$schema": "https://example.org/keys.json", "bindings": blocks}))
    terminal.start()
    terminal.press("C-y")
    screen = terminal.wait("escape back")
    check("keybindings.json" not in screen, "nothing is complained about", screen)
