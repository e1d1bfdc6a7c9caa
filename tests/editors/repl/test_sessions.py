"""The page of sessions: found, seen, renamed, copied, deleted, and gone on with."""

import os
import re
import subprocess
import time
import uuid

from terminal import BOWLINE, check, eventually


def stored(project):
    return sorted((project.home / "bowline" / "sessions").glob("*/*.jsonl"))


def three(project, terminal):
    """Three sessions, the oldest first; the last one is open."""
    terminal.start()
    for tale in ["say 日本語 first", "say second 🚀 tale", "say third"]:
        if tale != "say 日本語 first":
            terminal.press("C-d")
            terminal.wait_for_exit(0)
            terminal.start()
        terminal.say(tale)
        terminal.wait_for_answer(tale[4:])
        if tale == "say 日本語 first":
            terminal.say("say seven fathoms deep")
            terminal.wait_for_answer("seven fathoms deep")


def age(project, words, seconds):
    """Makes the session whose text has these words older."""
    for journal in stored(project):
        if words in journal.read_text():
            then = journal.stat().st_mtime - seconds
            os.utime(journal, (then, then))


def marked(screen):
    rows = [row for row in screen.splitlines() if row.startswith("❯ ")]
    return rows[0] if rows else ""


def test_sessions_page(project, terminal):
    """/resume is a page of exactly these rows, with wide letters and emoji in their places."""
    three(project, terminal)
    age(project, "first", 7200)
    age(project, "second", 300)
    terminal.say("/resume")
    rule = "─" * 80
    rows = [
        "Sessions [this folder] all folders  this branch  open ones                2 of 3",
        "›",
        rule,
        "  say third" + "this one · just now · 2 messages".rjust(69),
        # An emoji and each of the three letters take two columns.
        "❯ say second 🚀 tale" + "5m ago · 2 messages".rjust(60),
        "  say 日本語 first" + "2h ago · 4 messages".rjust(62),
        "",
    ]
    terminal.wait_for_rows("\n".join(rows))
    screen = terminal.wait("second 🚀 tale\n")
    check("enter go on · escape leave · tab filter" in screen.splitlines()[23], "the foot", screen)
    terminal.press("Down")
    terminal.wait(lambda s: marked(s).startswith("❯ say 日本語 first") and "seven fathoms deep" in s.split(rule)[2], "the preview")
    terminal.press("Enter")
    terminal.wait("Resumed: say 日本語 first", look=terminal.transcript)
    terminal.wait_for_input()
    terminal.say("say more")
    terminal.wait_for_answer("more")


def test_sessions_search(project, terminal):
    """Typing finds words in titles and in texts, and Esc clears them before it leaves."""
    three(project, terminal)
    terminal.press("M-r")
    terminal.wait("of 3")
    terminal.type("second")
    terminal.wait(lambda s: marked(s).startswith("❯ say second") and "1 of 1" in s, "the one with the word in its title")
    terminal.press("C-u")
    terminal.wait("of 3")
    # No title has these words: they were said later.
    terminal.type("fathoms deep")
    terminal.wait(lambda s: "1 of 1" in s and marked(s).startswith("❯ say 日本語 first"), "the one in which it was said")
    terminal.press("C-u")
    terminal.type("nowhere to be found")
    terminal.wait("no session with these words")
    terminal.press("Escape")
    terminal.wait("of 3")
    terminal.press("Escape")
    terminal.wait_for_input()


def test_sessions_rename_copy_delete(project, terminal):
    """Ctrl-R renames in place, Ctrl-F goes on in a copy, Delete asks before it deletes."""
    three(project, terminal)
    terminal.say("/resume")
    terminal.wait("of 3")
    terminal.type("second")
    terminal.wait(lambda s: marked(s).startswith("❯ say second"))
    terminal.press("C-r")
    terminal.wait("new title: say second 🚀 tale")
    terminal.type(" 船")
    terminal.press("Enter")
    terminal.wait(lambda s: "❯ say second 🚀 tale 船" in s and "Its title is now" in s, "the new title")
    terminal.press("C-u", "C-f")
    terminal.wait("Resumed: ", look=terminal.transcript)
    terminal.wait_for_input()
    check(len(stored(project)) == 4, "a copy is there")
    terminal.say("/resume")
    terminal.wait("of 4")
    terminal.type("first")
    terminal.wait(lambda s: marked(s).startswith("❯ say 日本語 first"))
    terminal.press("DC")
    terminal.wait("Delete “say 日本語 first” for good?")
    terminal.press("n")
    terminal.wait("Nothing was deleted.")
    terminal.press("DC")
    terminal.wait("for good?")
    terminal.press("y")
    terminal.wait("It is deleted.")
    eventually(lambda: len(stored(project)) == 3, "the journal is gone")
    check(not any("日本語" in journal.read_text() for journal in stored(project)), "the right one is gone")


def test_sessions_filters(project, terminal):
    """Tab: this folder, all folders, this branch, open ones; what one does not have says so."""
    git = ["git", "-C", str(project.folder), "-c", "init.defaultBranch=main"]
    subprocess.run([*git, "init", "-q"], check=True)
    terminal.start()
    terminal.say("say here on main")
    terminal.wait_for_answer("here on main")
    terminal.press("C-d")
    terminal.wait_for_exit(0)
    (project.folder / ".git" / "HEAD").write_text("ref: refs/heads/topic\n")
    other = project.base / "other-place"
    other.mkdir()
    terminal.submit(f"cd {other}; clear")
    terminal.start()
    terminal.say("say elsewhere")
    terminal.wait_for_answer("elsewhere")
    terminal.press("C-d")
    terminal.wait_for_exit(0)
    terminal.submit(f"cd {project.folder}; clear")
    terminal.start()
    terminal.say("say here on topic")
    terminal.wait_for_answer("here on topic")
    terminal.say("/resume")
    screen = terminal.wait("[this folder]")
    terminal.wait(lambda s: "of 2" in s and "elsewhere" not in s, "this folder's")
    terminal.press("Tab")
    screen = terminal.wait(lambda s: "[all folders]" in s and "of 3" in s, "all of them")
    check("other-place" in screen, "another folder is named", screen)
    terminal.press("Tab")
    terminal.wait(lambda s: "[this branch]" in s and "say here on topic" in s and "on main" not in s.split("─")[-1], "this branch's")
    terminal.press("Tab")
    terminal.wait(lambda s: "[open ones]" in s and "1 of 1" in s and "this one" in s, "the open one")
    terminal.press("BTab", "BTab", "BTab")
    terminal.wait("[this folder]")


def test_sessions_resize(project, terminal):
    """At 120 by 40, 60 by 20 and 80 by 24 the page is whole, and so is the screen behind it."""
    three(project, terminal)
    terminal.say("/resume")
    terminal.wait("of 3")
    for columns, rows in [(120, 40), (60, 20), (80, 24)]:
        terminal.resize(columns, rows)

        def whole(screen, columns=columns, rows=rows):
            shown = [row.rstrip() for row in screen.splitlines()]
            rules = [row for row in shown if row and set(row) == {"─"}]
            return (
                rules == ["─" * columns] * 2
                and shown[0].startswith("Sessions [this folder]")
                and shown[rows - 1].startswith("enter go on")
                and screen.count("❯ ") == 1
            )

        terminal.wait(whole, f"a whole page at {columns} by {rows}")
    terminal.press("Escape")
    screen = terminal.wait_for_input()
    check(screen.count("› say third") == 1, "the conversation is behind it", screen)


def test_sessions_many(project, terminal):
    """Two thousand sessions: the last one is found by typing, and one goes on with it."""
    terminal.start()
    terminal.say("say the pattern")
    terminal.wait_for_answer("the pattern")
    terminal.press("C-d")
    terminal.wait_for_exit(0)
    first = stored(project)[0]
    text, known = first.read_text(), first.stem
    for number in range(2000):
        copy = str(uuid.UUID(int=0xABCDE000000000000000000000000000 + number))
        words = f"tale number {number:04}"
        journal = first.with_name(f"{copy}.jsonl")
        journal.write_text(text.replace(known, copy).replace("the pattern", words))
        then = time.time() - 60 * (2000 - number)
        os.utime(journal, (then, then))
    terminal.submit(f"clear; '{BOWLINE}' --resume; echo \"left with $?\"")
    terminal.wait(lambda s: re.search(r"\d+ of 2001", s), "all of them")
    terminal.type("number 0007")
    terminal.wait(lambda s: "1 of 1" in s and marked(s).startswith("❯ say tale number 0007"), "the one that is meant")
    terminal.press("Enter")
    terminal.wait("Resumed: say tale number 0007", look=terminal.transcript)
    terminal.wait_for_input()
