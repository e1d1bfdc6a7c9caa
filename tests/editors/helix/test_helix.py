"""Helix, with nothing of ours but an entry in its languages.toml."""

import os
import subprocess
import time

from terminal import BOWLINE, DEADLINE, MAIN_RS, PAUSE, check, eventually

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
    # The spinner of the progress, or what it says: it was heard.
    again(terminal, lambda: command(terminal, f'bowline.ask "{quoted}"'), "rehearsal model")


def command(terminal, words):
    terminal.type(f":lsp-workspace-command {words}")
    terminal.press("Enter")


def choose(terminal, title, place):
    """Takes a code action, so many below the first, which is marked."""
    again(terminal, lambda: terminal.type(" a"), title)
    for _ in range(place):
        terminal.press("Down")
    terminal.press("Enter")


def again(terminal, act, wanted):
    """Does something until it shows: a server that has just been started may not be heard yet."""
    end = time.monotonic() + DEADLINE
    while True:
        act()
        seen = time.monotonic() + 2
        while time.monotonic() < seen:
            if wanted in terminal.screen():
                return
            time.sleep(PAUSE)
        check(time.monotonic() < end, f"never saw {wanted!r}", terminal.screen())
        terminal.press("Escape")
        terminal.wait_until_still()


def leave(terminal):
    terminal.press("Escape")
    # A key right after Escape would be one with Alt.
    terminal.wait_until_still()
    terminal.submit(":quit-all!")
    terminal.wait(lambda screen: screen.rstrip().endswith("$"), "the shell")


def test_story(project, terminal):
    """Ask by a command, permission in a box, the edit unsaved, rejected by a code action, taken back."""
    start(project, terminal)
    ask(terminal, 'replace "hello" with "goodbye" in main.rs')
    asked = terminal.wait("Allow once")
    check('+    println!("goodbye");' in asked, "the question shows the change", asked)
    terminal.press("Enter")
    terminal.wait('println!("goodbye");')
    terminal.wait("[+]")
    check(project.main.read_text() == MAIN_RS, "the disk is untouched")
    terminal.type("ggj")
    choose(terminal, "Reject this change", 1)
    back = lambda screen: 'println!("hello");' in screen and "goodbye" not in screen
    terminal.wait(back, "the text as it was")
    command(terminal, "bowline.undo")
    terminal.wait('println!("goodbye");')
    leave(terminal)


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

    def runs():
        return subprocess.run(["pgrep", "-f", "sleep 36.7"], capture_output=True).returncode == 0

    eventually(runs, "the command runs")
    command(terminal, "bowline.cancel")
    eventually(lambda: not runs(), "it is gone")
    leave(terminal)


def test_chat_document(project, terminal):
    """A chat document: a saved > block is answered below it."""
    (project.folder / "talk.bowline.md").write_text("> read main.rs\n")
    start(project, terminal, "talk.bowline.md")
    again(terminal, lambda: terminal.submit(":write!"), 'println!("hello");')
    shown = terminal.screen()
    check("> read main.rs" in shown, "the prompt stays", shown)
    leave(terminal)


def test_fix(project, terminal):
    """A selection is edited by a code action, as the comment above it says."""
    project.main.write_text('fn main() {\n    // replace "hello" with "fixed"\n    println!("hello");\n}\n')
    start(project, terminal)
    terminal.type("ggjjx")
    choose(terminal, "Edit with Bowline…", 0)
    terminal.wait('println!("fixed");')
    leave(terminal)


def test_typed_hunk(project, terminal):
    """Text typed above, inside and below a change stays when the change is rejected where it is by then."""
    start(project, terminal)
    ask(terminal, 'replace "hello" with "goodbye" in main.rs')
    terminal.wait("Allow once")
    terminal.press("Enter")
    terminal.wait('println!("goodbye");')
    terminal.type("ggO// above")
    terminal.press("Escape")
    terminal.wait_until_still()
    terminal.type("geo// below")
    terminal.press("Escape")
    terminal.wait_until_still()
    terminal.type("gg/dbye")
    terminal.press("Enter")
    terminal.wait_until_still()
    terminal.type("iTYPED")
    terminal.press("Escape")
    terminal.wait("gooTYPEDdbye")
    choose(terminal, "Reject this change", 1)
    terminal.wait(lambda screen: "dbye" not in screen and "hello" in screen, "the change is gone")
    shown = terminal.screen()
    for typed in ["// above", "// below", "TYPED"]:
        check(typed in shown, f"{typed} stays", shown)
    leave(terminal)
