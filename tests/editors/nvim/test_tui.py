"""The Neovim plugin on a screen, as its users see it, with nothing but Neovim's own pickers."""

import os
from pathlib import Path

from terminal import BOWLINE, check

PLUGIN = Path(__file__).resolve().parents[3] / "clients" / "nvim"

INIT = """
vim.opt.runtimepath:prepend("{plugin}")
vim.g.mapleader = " "
require("bowline").setup({{ cmd = {{ "{bowline}", "serve" }} }})
vim.o.statusline = "%f %m%=%{{%v:lua.require'bowline'.statusline()%}} "
"""


def start(project, terminal):
    (project.folder / ".git").mkdir()
    init = project.base / "init.lua"
    init.write_text(INIT.format(plugin=PLUGIN, bowline=BOWLINE))
    terminal.resize(120, 36)
    runtime, nvim = os.environ["NVIM_RUNTIME"], os.environ["NVIM"]
    terminal.submit(f"clear; VIMRUNTIME='{runtime}' '{nvim}' --clean -u '{init}' main.rs")
    terminal.wait("println!")


def leave(terminal):
    terminal.submit(":qa!")
    terminal.wait(lambda screen: screen.rstrip().endswith("$"), "the shell")


def test_screen(project, terminal):
    """Ask, see the change in a diff, allow it, reject it again: the chat, the signs, the statusline."""
    start(project, terminal)
    terminal.submit(":Bowline")
    terminal.wait("Ask …")
    terminal.type("/co")
    terminal.wait("/cost")
    terminal.press("C-u", "C-u")
    terminal.type('replace "hello" with "goodbye" in main.rs')
    terminal.press("C-s")
    asked = terminal.wait("Type number")
    for part in ["before: main.rs", "proposed: main.rs", "1: Allow once", "say what to do instead", "asks"]:
        check(part in asked, f"the question shows {part!r}", asked)
    terminal.submit("1")
    shown = terminal.wait("1 to review")
    shown = terminal.wait("Replaced hello with goodbye")
    for part in ['println!("hello");', "<Space>va accept", "● Edit main.rs", "Allow once"]:
        check(part in shown, f"the screen shows {part!r}", shown)
    check("before: main.rs" not in shown, "the diff is closed", shown)
    terminal.press("C-w", "h")
    terminal.type("]v vr")
    gone = terminal.wait(lambda screen: "to review" not in screen, "nothing to review")
    check("<Space>va" not in gone and 'println!("hello");' in gone, "the change is gone", gone)
    leave(terminal)


def test_selection(project, terminal):
    """A selection is edited in place, with what it replaced in sight."""
    start(project, terminal)
    terminal.type("jV")
    terminal.submit(':Bowline edit replace "hello" with "inline"')
    wanted = ["┃", 'println!("inline");', 'println!("hello");']
    terminal.wait(lambda screen: all(part in screen for part in wanted), "the change, and what it replaced")
    leave(terminal)
