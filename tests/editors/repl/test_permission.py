"""Questions about what may be done."""

import re

from terminal import MAIN_RS, check

ASK = 'replace "hello" with "goodbye" in main.rs'
RED, GREEN = 31, 32


def coloured(screen, colour, text):
    """Whether a line of the screen that shows this text uses this colour."""
    lines = [line for line in screen.splitlines() if text in re.sub(r"\x1b\[[0-9;]*m", "", line)]
    return any(re.search(rf"\x1b\[(?:\d+;)*{colour}(?:;\d+)*m", line) for line in lines)


def test_permission_shows_coloured_diff(_project, terminal):
    """The question about an edit shows a coloured diff and the keys that answer it."""
    terminal.start()
    terminal.say(ASK)
    screen = terminal.wait_for_question("Deny")
    for part in ["Edit main.rs?", "Allow once", "(y)", "(a)", "(n, esc)"]:
        check(part in screen, f"the question has {part!r}", screen)
    colours = terminal.colours()
    check(coloured(colours, RED, '-     println!("hello");'), "the old line is red", colours)
    check(coloured(colours, GREEN, '+     println!("goodbye");'), "the new line is green", colours)


def test_permission_allow(project, terminal):
    """`y` allows once: the file changes, and the next edit asks again."""
    terminal.start()
    terminal.say(ASK)
    terminal.wait_for_question("Edit main.rs?")
    terminal.press("y")
    terminal.wait_for_answer("Replaced hello with goodbye")
    check("goodbye" in project.main.read_text(), "the file is changed")
    terminal.say('replace "goodbye" with "farewell" in main.rs')
    terminal.wait_for_question("Edit main.rs?")


def test_permission_for_the_session(project, terminal):
    """`a` allows the same for the session: the next edit does not ask."""
    terminal.start()
    terminal.say(ASK)
    terminal.wait_for_question("Edit main.rs?")
    terminal.press("a")
    terminal.wait_for_answer("Replaced hello with goodbye")
    terminal.say('replace "goodbye" with "farewell" in main.rs')
    terminal.wait_for_answer("Replaced goodbye with farewell")
    check("farewell" in project.main.read_text(), "the file is changed")


def test_permission_deny(project, terminal):
    """`n` denies: nothing changes, and the transcript says so."""
    terminal.start()
    terminal.say(ASK)
    terminal.wait_for_question("Edit main.rs?")
    terminal.press("n")
    terminal.wait("⎿ This call was not allowed", look=terminal.transcript)
    terminal.wait_for_input()
    check(project.main.read_text() == MAIN_RS, "the file is as it was")


def test_permission_escape_denies(project, terminal):
    """Esc at a question denies it."""
    terminal.start()
    terminal.say(ASK)
    terminal.wait_for_question("Edit main.rs?")
    terminal.press("Escape")
    terminal.wait_for_input()
    check(project.main.read_text() == MAIN_RS, "the file is as it was")


def test_permission_for_a_command(project, terminal):
    """A command that a rule asks about shows itself, where it runs and what keeps it in."""
    terminal.start()
    terminal.say("/permissions ask Bash(touch:*)")
    terminal.wait("it counts from now on")
    terminal.say("run touch made")
    screen = terminal.wait_for_question("Deny")
    check("touch made" in screen, "the command is shown", screen)
    check(f"in {project.folder}" in screen, "so is the folder", screen)
    kept = "kept in by" in screen or "nothing keeps it in" in screen
    check(kept, "and what keeps it in, or that nothing does", screen)
    check(not (project.folder / "made").exists(), "it has not run")
    terminal.press("y")
    terminal.wait_for_answer("ran and printed nothing")
    check((project.folder / "made").exists(), "it ran")


def test_permission_pages_through_a_long_diff(project, terminal):
    """Every row of a long change can be read before the answer: no page leaves one out."""
    (project.folder / "big.txt").write_text("".join(f"row {n} alpha\n" for n in range(40)))
    terminal.resize(60, rows=12)
    terminal.start()
    terminal.say("rename alpha to beta in big.txt")
    screen = terminal.wait("rows above")
    seen = screen
    while " 0 below" not in screen:
        before = screen.split(" rows above")[0].rsplit("… ", 1)[1]
        terminal.press("PageDown")
        screen = terminal.wait(lambda s, b=before: f"… {b} rows above" not in s, "the next page")
        seen += screen
    for word in ["alpha", "beta"]:
        unread = [n for n in range(40) if f"row {n} {word}" not in seen]
        check(not unread, f"rows with {word} that were never shown: {unread}")
    # Paging decides nothing and counts at once; an answer counts only when its keys are named.
    terminal.wait_for_question("big.txt")
    terminal.press("n")
    terminal.wait_for_input()
