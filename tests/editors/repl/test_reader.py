"""The mode for screen readers: lines and words, nothing drawn twice, answers by number."""

import re

from model import Model
from terminal import BOWLINE, check, tmux

GLYPHS = "─│❯●⎿▪☐☑▶⠋⠙⠹›"


def open_reader(terminal, how="--screen-reader"):
    terminal.resize(120, 40)
    terminal.submit(f"clear; '{BOWLINE}' {how}; echo \"left with $?\"")
    terminal.wait("You:")


def test_reader(project, terminal):
    """A conversation with a question and a list: every line in words, exactly once, without escapes."""
    file = project.base / "raw"
    open_reader(terminal)
    tmux("pipe-pane", "-t", terminal.name, f"cat > {file}")
    terminal.submit('replace "hello" with "goodbye" in main.rs')
    screen = terminal.wait("Your answer:")
    for part in ["Question: Edit main.rs?", "Removed line 2:     println!(\"hello\");", "Added line 2:     println!(\"goodbye\");", "1. Allow once", "Type the number of your answer and press Enter."]:
        check(part in screen, f"{part!r} is said", screen)
    terminal.submit("1")
    screen = terminal.wait("Bowline is done.")
    check("Done: Edit main.rs" in screen and "goodbye" in project.main.read_text(), "it is done", screen)
    terminal.submit("/mode")
    terminal.wait("3. plan, only reads")
    terminal.submit("9")
    terminal.wait("is no number of the list")
    terminal.submit("3")
    terminal.wait("The mode is now plan.")
    terminal.submit("!echo 日本語")
    terminal.wait("日本語\n")
    terminal.press("C-d")
    shown = terminal.wait("left with 0")
    check(not any(glyph in shown for glyph in GLYPHS), "no signs and no lines of drawing", shown)
    written = file.read_bytes().decode(errors="replace")
    check(not re.search("\x1b", written.split("left with")[0]), "no escapes", written)
    check(shown.count("The mode is now plan.") == 1, "nothing is drawn twice", shown)


def test_reader_by_setting(project, terminal):
    """The setting and the variable do the same as the flag."""
    home = project.home / "bowline"
    home.mkdir(exist_ok=True)
    (home / "settings.json").write_text('{"screenReader": true}')
    open_reader(terminal, "")
    terminal.submit("say words")
    terminal.wait("Bowline says:")
    terminal.press("C-d")
    terminal.wait("left with 0")
    (home / "settings.json").unlink()
    terminal.submit("clear; export BOWLINE_SCREEN_READER=1")
    open_reader(terminal, "")


def test_reader_interrupt(_project, terminal):
    """Ctrl-C stops what runs and says so; twice, with nothing running, it leaves."""
    open_reader(terminal)
    terminal.submit("run sleep 100")
    terminal.wait("Running: ")
    terminal.press("C-c")
    terminal.wait("Bowline is done.")
    terminal.press("C-c")
    terminal.wait("Press Ctrl C again to leave.")
    terminal.press("C-c")
    terminal.wait("left with 0")


def test_reader_questions(project, terminal):
    """The agent's own questions are answered by number, by numbers, and in words."""
    options = lambda *labels: [{"label": label, "description": f"about {label}"} for label in labels]
    asked = [
        {"question": "Which rope?", "header": "Rope", "options": options("hemp", "nylon"), "multiSelect": False},
        {"question": "Which knots?", "header": "Knots", "options": options("bowline", "hitch", "bend"), "multiSelect": True},
        {"question": "What colour?", "header": "Colour", "options": options("red", "blue"), "multiSelect": False},
    ]
    with Model([("AskUserQuestion", {"questions": asked})], "Tied.") as model:
        model.serve(project, terminal)
        open_reader(terminal)
        terminal.submit("tie it")
        screen = terminal.wait("1. hemp, about hemp")
        check("1 of 3. Which rope?" in screen and "an empty line declines" in screen, "in words", screen)
        terminal.submit("2")
        terminal.wait("3. bend")
        terminal.submit("1 3")
        terminal.wait("2. blue")
        terminal.submit("green as the sea")
        screen = terminal.wait("Tied.")
        check(not any(glyph in screen for glyph in GLYPHS + "↑↓"), "no signs", screen)
        told = str(model.questions[-1]["messages"])
        for part in ["nylon", "bowline", "bend", "green as the sea"]:
            check(part in told, f"{part!r} reaches the model", told)
        check("hitch" not in told.split("nylon")[-1], "what was not chosen does not", told)
