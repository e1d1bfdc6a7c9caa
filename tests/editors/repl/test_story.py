"""The whole story in a terminal: ask, see, decide, leave, come back."""

from terminal import MAIN_RS, check


def test_story(project, terminal):
    """Prompt, read, edit after a question, leave, and continue the conversation."""
    terminal.start()
    terminal.say('read main.rs then replace "hello" with "goodbye" in main.rs')
    asked = terminal.wait_for_question("Edit main.rs?")
    check("goodbye" in asked, "the question shows the change", asked)
    check(project.main.read_text() == MAIN_RS, "nothing is changed before the answer")
    terminal.press("y")
    terminal.wait_for_answer("Replaced hello with goodbye in main.rs")
    check(project.main.read_text() == MAIN_RS.replace("hello", "goodbye"), "the file is changed")
    terminal.press("C-d")
    terminal.wait_for_exit(0)

    terminal.start("--continue")
    terminal.wait('replace "hello" with "goodbye"', look=terminal.transcript)
    shown = terminal.wait("Replaced hello with goodbye in main.rs", look=terminal.transcript)
    shown = shown[shown.rindex("Bowline 0") :]
    for part in ["● Read main.rs", "● Edit main.rs", "main.rs (+1 −1 lines)"]:
        check(part in shown, f"the conversation comes back with {part!r}", shown)
    terminal.say("read main.rs")
    terminal.wait_for_answer('println!("goodbye")')


def test_first_screen(_project, terminal):
    """The first screen says what this is, which model answers and how to get a real one."""
    terminal.start()
    screen = terminal.wait("ANTHROPIC_API_KEY")
    for part in ["Bowline", "Rehearsal", "rehearsal model", "OPENAI_BASE_URL", "/help"]:
        check(part in screen, f"the banner has {part!r}", screen)
    check(str(_project.folder) in screen.replace("\n", ""), "it names the folder", screen)


def test_read(_project, terminal):
    """A file the model reads is shown with its text."""
    terminal.start()
    terminal.say("read main.rs")
    screen = terminal.wait_for_answer('println!("hello");')
    check("● Read main.rs" in terminal.transcript(), "the call is shown", screen)


def test_first_prompt_as_argument(_project, terminal):
    """A prompt on the command line is asked first, and the conversation goes on."""
    terminal.start("'read main.rs'")
    terminal.wait_for_answer('println!("hello");')
    terminal.say("say all is well")
    terminal.wait_for_answer("all is well")
