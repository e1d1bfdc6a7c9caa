"""Reviewing what the agent changed: `/review`."""

from terminal import MAIN_RS, check, eventually
from test_screen import plain

CHANGE = 'replace "hello" with "goodbye" in main.rs'
CHANGED = MAIN_RS.replace("hello", "goodbye")
POEM = "alpha one\nalpha two\nalpha three\n"


def edited(terminal, *asks):
    """A session that makes its edits without asking, and has made these."""
    terminal.start("--permission-mode", "acceptEdits")
    for ask in asks:
        terminal.say(ask)
        terminal.wait_for_answer("in ")
    terminal.wait("to review")


def two_files(project, terminal):
    (project.folder / "other.txt").write_text("hello there\n")
    edited(terminal, CHANGE, 'replace "hello" with "welcome" in other.txt')
    terminal.wait("2 changes to review")
    terminal.say("/review")


def test_review_steps(project, terminal):
    """Each change is shown with its lines; `a` keeps one, `r` takes the next one back."""
    two_files(project, terminal)
    screen = terminal.wait("1 of 2 changes to review")
    for part in ["main.rs:2", "other.txt", '- ', '+     println!("goodbye");', "for: replace"]:
        check(part in screen, f"the review has {part!r}", screen)
    terminal.press("a")
    terminal.wait(lambda s: "other.txt:1" in s and "accepted: main.rs:2" in s, "the next one")
    terminal.press("r")
    screen = terminal.wait("Reviewed: 1 accepted, 1 rejected; nothing left to review.")
    check("changes to review" not in screen, "nothing waits", screen)
    check(project.main.read_text() == CHANGED, "what was accepted stays")
    other = project.folder / "other.txt"
    check(other.read_text() == "hello there\n", "what was rejected is as before")


def test_review_typed_ahead(project, terminal):
    """Two keys at once are decisions about two changes."""
    two_files(project, terminal)
    terminal.wait("1 of 2 changes to review")
    terminal.press("r", "a")
    terminal.wait("Reviewed: 1 accepted, 1 rejected; nothing left to review.")
    check(project.main.read_text() == MAIN_RS, "the first was rejected")
    check((project.folder / "other.txt").read_text() == "welcome there\n", "the second was kept")


def test_review_leaving_decides_nothing(project, terminal):
    """n and p look at the changes, Esc leaves, and both changes still wait."""
    two_files(project, terminal)
    terminal.wait("1 of 2 changes to review")
    terminal.press("n")
    terminal.wait("2 of 2 changes to review")
    terminal.press("p")
    terminal.wait("1 of 2 changes to review")
    terminal.press("Escape")
    terminal.wait_for_input()
    screen = terminal.wait("· 2 changes to review")
    check("Reviewed" not in screen, "nothing was decided", screen)
    check(project.main.read_text() == CHANGED, "the file is as the agent left it")


def test_review_comment(project, terminal):
    """`c` rejects with a comment; Esc in the comment decides nothing."""
    edited(terminal, CHANGE)
    terminal.say("/review")
    terminal.wait("1 of 1 change to review")
    terminal.press("c")
    terminal.wait("Say what to do instead")
    terminal.type("rather not")
    terminal.press("Escape")
    terminal.wait(lambda s: "rather not" not in s and "a accept" in s, "the choice again")
    check(project.main.read_text() == CHANGED, "nothing was decided")
    terminal.press("c")
    terminal.type("say farewell instead")
    terminal.wait("› say farewell instead")
    terminal.press("Enter")
    terminal.wait("Reviewed: 0 accepted, 1 rejected")
    check(project.main.read_text() == MAIN_RS, "the text is as before")
    terminal.say("read main.rs")
    terminal.wait_for_answer('println!("hello");')
    terminal.press("C-d")
    terminal.wait_for_exit(0)
    terminal.start("--continue")
    shown = terminal.wait("› read main.rs", look=terminal.transcript)
    shown = shown[shown.rindex("Bowline 0") :]
    check("system-reminder" not in shown, "the agent's note is not shown as the user's", shown)


def test_review_lines(project, terminal):
    """`l` decides about some lines only; the rest waits on."""
    poem = project.folder / "poem.txt"
    poem.write_text(POEM)
    edited(terminal, "rename alpha to beta in poem.txt")
    terminal.say("/review")
    terminal.wait("poem.txt:1-3")
    terminal.press("l")
    terminal.type("2r")
    terminal.wait("rejected: lines of poem.txt:1-3")
    eventually(lambda: poem.read_text() == "beta one\nalpha two\nbeta three\n", "line 2 is back")
    terminal.wait("to review")
    terminal.press("u")
    terminal.wait("The last decision is undone")
    check(poem.read_text() == POEM.replace("alpha", "beta"), "the whole change is there again")


def test_review_undo(project, terminal):
    """`u` takes the last decision back, also one about a whole file."""
    two_files(project, terminal)
    terminal.wait("1 of 2 changes to review")
    terminal.press("R")
    terminal.wait("1 of 1 change to review")
    check(project.main.read_text() == MAIN_RS, "the file is as before")
    terminal.press("u")
    terminal.wait("1 of 2 changes to review")
    eventually(lambda: project.main.read_text() == CHANGED, "the change is back")
    terminal.press("A")
    terminal.wait("1 of 1 change to review")
    terminal.press("q")
    terminal.wait("Reviewed: 1 accepted, 0 rejected; 1 change left to review.")


def test_review_all(project, terminal):
    """`/review reject` asks once, `/review undo` takes it back, `/review accept` does not ask."""
    two_files(project, terminal)
    terminal.wait("1 of 2 changes to review")
    terminal.press("q")
    terminal.wait_for_input()
    terminal.say("/review reject")
    terminal.wait("Reject 2 changes in 2 files?")
    terminal.press("Escape")
    terminal.wait("· 2 changes to review")
    check(project.main.read_text() == CHANGED, "Esc rejects nothing")
    terminal.say("/review reject")
    terminal.wait("❯ 1. reject all")
    terminal.press("Enter")
    terminal.wait("rejected: 2 changes")
    check(project.main.read_text() == MAIN_RS, "the file is as before")
    terminal.say("/review undo")
    terminal.wait("· 2 changes to review")
    check(project.main.read_text() == CHANGED, "the change is back")
    terminal.say("/review accept")
    terminal.wait("accepted: 2 changes")
    terminal.wait(lambda s: "· 2 changes to review" not in s, "nothing waits")
    terminal.say("/review")
    terminal.wait("There is nothing to review.")


def test_review_after_a_restart(project, terminal):
    """Changes wait for their review across a restart, and what was written since stays."""
    edited(terminal, CHANGE)
    terminal.press("C-d")
    terminal.wait_for_exit(0)
    project.main.write_text(project.main.read_text() + "// mine\n")
    terminal.start("--continue")
    terminal.wait("· 1 change to review")
    terminal.say("/review")
    terminal.wait("1 of 1 change to review")
    terminal.press("r")
    terminal.wait("Reviewed: 0 accepted, 1 rejected")
    check(project.main.read_text() == MAIN_RS + "// mine\n", "only the agent's change is gone")


def test_review_in_a_pipe(project, _terminal):
    """In a pipe `/review` prints the changes, and `/review reject` takes them back."""
    lines = f"{CHANGE}\n/review\n/review reject\n"
    out = plain(project, ["--permission-mode", "acceptEdits"], lines)
    for part in ['2 + ', '+     println!("goodbye");', "rejected: main.rs:2"]:
        check(part.strip() in out, f"the output has {part!r}", out)
    check(project.main.read_text() == MAIN_RS, "the text is as before")
