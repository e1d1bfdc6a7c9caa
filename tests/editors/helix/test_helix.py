"""Helix, with nothing of ours but an entry in its languages.toml."""

import os

from terminal import BOWLINE, MAIN_RS, check, eventually

LANGUAGES = """
[language-server.bowline]
command = "{bowline}"
args = ["serve"]

[[language]]
name = "rust"
language-servers = ["bowline"]
auto-format = false

[[language]]
name = "markdown"
language-servers = ["bowline"]
"""


def start(project, terminal, file="main.rs"):
    (project.folder / ".git").mkdir(exist_ok=True)
    settings = project.home / ".config" / "helix"
    settings.mkdir(parents=True, exist_ok=True)
    (settings / "languages.toml").write_text(LANGUAGES.format(bowline=BOWLINE))
    terminal.resize(100, 30)
    runtime, helix = os.environ["HELIX_RUNTIME"], os.environ["HELIX"]
    terminal.submit(f"clear; HELIX_RUNTIME='{runtime}' '{helix}' {file}")
    terminal.wait(" NOR ")


def ask(terminal, words):
    quoted = words.replace('"', '\\"')
    terminal.type(f':lsp-workspace-command bowline.ask "{quoted}"')
    terminal.wait(words[-12:].replace('"', '\\"'))
    terminal.press("Enter")


def choose(terminal, title):
    """Takes a code action: down the menu until it is marked, which Helix does by its colours."""
    terminal.type(" a")
    menu = terminal.wait(title)
    titles = [line[4:].split("  ")[-1].strip() for line in menu.splitlines()]
    entries = [line for line in titles if line.endswith(title) or "Bowline" in line or "change" in line]
    for _ in range(entries.index(title) + 1 if title in entries else 1):
        terminal.press("Down")
    terminal.press("Enter")


def leave(terminal):
    terminal.press("Escape")
    terminal.submit(":quit!")
    terminal.wait("$ ")


def test_story(project, terminal):
    """Ask by a command, permission in a box, the edit unsaved, rejected by a code action, taken back."""
    start(project, terminal)
    ask(terminal, 'replace "hello" with "goodbye" in main.rs')
    asked = terminal.wait("Allow once")
    check('+    println!("goodbye");' in asked, "the question shows the change", asked)
    terminal.press("Down", "Enter")
    terminal.wait('println!("goodbye");')
    terminal.wait("[+]")
    check(project.main.read_text() == MAIN_RS, "the disk is untouched")
    terminal.type("ggj")
    choose(terminal, "Reject this change")
    terminal.wait('println!("hello");')
    ask_command(terminal, "bowline.undo")
    terminal.wait('println!("goodbye");')
    leave(terminal)


def ask_command(terminal, command):
    terminal.type(f":lsp-workspace-command {command}")
    terminal.press("Enter")


def test_deny(project, terminal):
    """A box that is closed is a no."""
    start(project, terminal)
    ask(terminal, 'replace "hello" with "goodbye" in main.rs')
    terminal.wait("Allow once")
    terminal.press("Escape")
    terminal.wait("did not work")
    check('println!("hello");' in terminal.screen(), "nothing changed", terminal.screen())
    leave(terminal)


def test_cancel(project, terminal):
    """The command stops what runs."""
    start(project, terminal)
    ask(terminal, "run sleep 36.7")
    import subprocess

    def runs():
        return subprocess.run(["pgrep", "-f", "sleep 36.7"], capture_output=True).returncode == 0

    eventually(runs, "the command runs")
    ask_command(terminal, "bowline.cancel")
    eventually(lambda: not runs(), "it is gone")
    leave(terminal)


def test_chat_document(project, terminal):
    """A chat document: a saved > block is answered below it."""
    (project.folder / "talk.bowline.md").write_text("> read main.rs\n")
    start(project, terminal, "talk.bowline.md")
    terminal.submit(":write!")
    shown = terminal.wait('println!("hello");')
    check("> read main.rs" in shown, "the prompt stays", shown)
    leave(terminal)


def test_fix(project, terminal):
    """A selection is edited by a code action, as the comment above it says."""
    project.main.write_text('fn main() {\n    // replace "hello" with "fixed"\n    println!("hello");\n}\n')
    start(project, terminal)
    terminal.type("ggjjx")
    choose(terminal, "Edit with Bowline…")
    terminal.wait('println!("fixed");')
    leave(terminal)
