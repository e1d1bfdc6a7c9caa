"""Going back to an earlier message: `/rewind`."""

from terminal import MAIN_RS, check, eventually
from test_screen import plain

FIRST = 'replace "hello" with "goodbye" in main.rs'
SECOND = 'replace "goodbye" with "farewell" in main.rs'
AFTER_FIRST = MAIN_RS.replace("hello", "goodbye")
AFTER_SECOND = MAIN_RS.replace("hello", "farewell")


def talked(terminal):
    """Two prompts, each of which changed the file."""
    terminal.start("--permission-mode", "acceptEdits")
    terminal.say(FIRST)
    terminal.wait_for_answer("Replaced hello with goodbye")
    terminal.say(SECOND)
    terminal.wait_for_answer("Replaced goodbye with farewell")


def choose(terminal, what):
    """From the list of messages to the preview for the newest one."""
    terminal.say("/rewind")
    terminal.wait("❯ 1. replace \"goodbye\"")
    terminal.press("Enter")
    terminal.wait("4. cancel")
    terminal.press(what)
    return terminal.wait("Rewind to before:")


def test_rewind_both(project, terminal):
    """Conversation and files go back, the prompt can be sent again, and it can be undone."""
    talked(terminal)
    screen = choose(terminal, "1")
    check("main.rs restored +1 −1" in screen, "the preview names the file", screen)
    check(project.main.read_text() == AFTER_SECOND, "a preview changes nothing")
    terminal.press("Enter")
    terminal.wait("— rewound to before: replace \"goodbye\"")
    screen = terminal.wait(f"› {SECOND}")
    check("Rewound: 1 file (+1 −1)" in screen, "the result is told", screen)
    check("Undo with /rewind undo" in screen, "and the way back", screen)
    check(project.main.read_text() == AFTER_FIRST, "the file is as it was")
    terminal.press("C-u")
    terminal.wait_for_input()
    terminal.say("/rewind undo")
    terminal.wait("— the rewind is undone; the conversation goes on after: replace \"goodbye\"")
    eventually(lambda: project.main.read_text() == AFTER_SECOND, "the file is back")
    terminal.say("/rewind")
    screen = terminal.wait("❯ 1. replace \"goodbye\"")
    check("2. replace \"hello\"" in screen, "both messages are there again", screen)


def test_rewind_and_send_again(project, terminal):
    """What is sent after a rewind works on the text as it was."""
    talked(terminal)
    choose(terminal, "1")
    terminal.press("Enter")
    terminal.wait(f"› {SECOND}")
    terminal.press("C-u")
    terminal.say('replace "goodbye" with "so long" in main.rs')
    terminal.wait_for_answer("Replaced goodbye with so long")
    check("so long" in project.main.read_text(), "the file is changed")
    terminal.press("C-d")
    terminal.wait_for_exit(0)
    terminal.start("--continue")
    shown = terminal.wait("Replaced goodbye with so long", look=terminal.transcript)
    shown = shown[shown.rindex("Bowline 0") :]
    check("farewell" not in shown, "what was cut is not in the conversation", shown)


def test_rewind_conversation_only(project, terminal):
    """The conversation alone goes back; the file stays."""
    talked(terminal)
    choose(terminal, "2")
    terminal.press("Enter")
    terminal.wait(f"› {SECOND}")
    check(project.main.read_text() == AFTER_SECOND, "the file stays")


def test_rewind_files_only(project, terminal):
    """The files alone go back, what the user wrote stays, and the conversation goes on."""
    talked(terminal)
    project.main.write_text("// mine\n" + project.main.read_text())
    terminal.say("/rewind")
    terminal.wait("❯ 1. replace \"goodbye\"")
    terminal.press("2")
    terminal.wait("4. cancel")
    terminal.press("3")
    terminal.wait("Rewind to before: replace \"hello\"")
    terminal.press("Enter")
    terminal.wait("— files rewound to before: replace \"hello\"")
    terminal.wait_for_input()
    eventually(lambda: project.main.read_text() == "// mine\n" + MAIN_RS, "the agent's part is gone")
    terminal.say("/rewind undo")
    terminal.wait("the files are as they were before the rewind")
    check(project.main.read_text() == "// mine\n" + AFTER_SECOND, "the agent's part is back")


def test_rewind_cancel(project, terminal):
    """Esc and cancel at any step change nothing."""
    talked(terminal)
    terminal.say("/rewind")
    terminal.wait("Go back to before which message?")
    terminal.press("Escape")
    terminal.wait_for_input()
    terminal.say("/rewind")
    terminal.wait("Go back to before which message?")
    terminal.press("Enter")
    terminal.wait("4. cancel")
    terminal.press("4")
    terminal.wait_for_input()
    for leave in ["Escape", "2"]:
        choose(terminal, "1")
        terminal.press(leave)
        terminal.wait_for_input()
    check(project.main.read_text() == AFTER_SECOND, "the file is as it was")
    check("— rewound" not in terminal.transcript(), "nothing was rewound", terminal.transcript())


def test_rewind_by_key(_project, terminal):
    """Esc twice on an empty line opens the list of messages."""
    talked(terminal)
    terminal.press("Escape")
    terminal.wait("Press Esc again to go back")
    terminal.press("Escape")
    screen = terminal.wait("Go back to before which message?")
    check("just now · 1 file changed since" in screen, "age and files are told", screen)


def test_rewind_removes_a_new_file(project, terminal):
    """A file that the agent made is gone after the rewind, and back after its undoing."""
    terminal.start("--permission-mode", "acceptEdits")
    terminal.say('create notes.txt with "all of it"')
    notes = project.folder / "notes.txt"
    eventually(notes.exists, "the file is made")
    terminal.wait_for_input()
    terminal.say("/rewind")
    terminal.wait("❯ 1. create")
    terminal.press("Enter")
    terminal.wait("4. cancel")
    terminal.press("1")
    terminal.wait("notes.txt deleted")
    terminal.press("Enter")
    terminal.wait("— rewound to before: create")
    eventually(lambda: not notes.exists(), "the file is gone")
    terminal.press("C-u")
    terminal.wait_for_input()
    terminal.say("/rewind undo")
    terminal.wait("— the rewind is undone")
    eventually(notes.exists, "the file is back")


def test_rewind_in_a_pipe(project, _terminal):
    """In a pipe `/rewind` lists the messages with ids."""
    out = plain(project, ["--permission-mode", "acceptEdits"], f"{FIRST}\n/rewind\n")
    listed = [line for line in out.splitlines() if "just now · 1 file changed since" in line]
    check(len(listed) == 1 and FIRST in listed[0], "the message is listed", out)
