"""The commands that start with a slash."""

from terminal import BOWLINE, check


def test_help(_project, terminal):
    """/help lists commands and keys."""
    terminal.start()
    terminal.say("/help")
    screen = terminal.wait("Keys", look=terminal.transcript)
    for part in ["/model", "/mode", "/clear", "/resume", "/cost", "/exit", "shift+tab", "ctrl+d"]:
        check(part in screen, f"help has {part!r}", screen)


def test_model(_project, terminal):
    """/model shows a list with the rehearsal model; Esc leaves it."""
    terminal.start()
    terminal.say("/model")
    terminal.wait("❯ 1. Rehearsal")
    terminal.press("Escape")
    terminal.wait_for_input()


def test_mode(project, terminal):
    """/mode plan changes the mode and the footer; an edit is then not made."""
    terminal.start()
    terminal.say("/mode plan")
    terminal.wait("· plan")
    terminal.say('replace "hello" with "goodbye" in main.rs')
    terminal.wait("● Edit main.rs", look=terminal.transcript)
    terminal.wait_for_input()
    check("hello" in project.main.read_text(), "plan mode changes nothing")


def test_mode_by_key(_project, terminal):
    """Shift+Tab goes to the next mode."""
    terminal.start()
    terminal.press("BTab")
    terminal.wait("· acceptEdits")
    terminal.press("BTab")
    terminal.wait("· plan")


def test_mode_unknown(_project, terminal):
    """/mode with a wrong word names the right ones."""
    terminal.start()
    terminal.say("/mode sideways")
    screen = terminal.wait("acceptEdits")
    check("sideways" in screen, "the wrong word is named", screen)


def test_cost(_project, terminal):
    """/cost tells tokens and money."""
    terminal.start()
    terminal.say("say one")
    terminal.wait_for_answer("one")
    terminal.say("/cost")
    terminal.wait(lambda s: "tokens in" in s and "tokens in use" in s, "what was spent, and by which model")


def test_clear(_project, terminal):
    """/clear forgets the conversation; the next answer knows nothing of it."""
    terminal.start()
    terminal.say("say first words")
    terminal.wait_for_answer("first words")
    terminal.say("/clear")
    terminal.wait("The conversation begins anew")
    terminal.say("say second words")
    # The rehearsal model introduces itself in the first answer of a conversation only.
    terminal.wait(lambda s: s.count("I am the rehearsal model") == 2, look=terminal.transcript)


def test_resume(_project, terminal):
    """/resume lists earlier sessions; the chosen one comes back and goes on."""
    terminal.start()
    terminal.say("say the first tale")
    terminal.wait_for_answer("the first tale")
    terminal.say("/clear")
    terminal.wait("The conversation begins anew")
    terminal.say("say the second tale")
    terminal.wait(lambda s: s.count("I am the rehearsal model") == 2, look=terminal.transcript)
    terminal.wait_for_input()
    terminal.say("/resume")
    screen = terminal.wait("of 2")
    # The copy that /clear left; the open session may have the same title.
    check("this one" in screen, "the open session is named", screen)
    chosen = [line for line in screen.splitlines() if line.startswith("❯ say the first tale")]
    check(chosen and "this one" not in chosen[0], "the mark is on the other one", screen)
    terminal.press("Enter")
    terminal.wait(lambda s: s.count("› say the first tale") == 2, look=terminal.transcript)
    terminal.wait_for_input()
    terminal.say("say more")
    terminal.wait_for_answer("(This is the rehearsal model;")


def test_resume_from_the_command_line(_project, terminal):
    """bowline --resume without an id offers the list first."""
    terminal.start()
    terminal.say("say a tale to keep")
    terminal.wait_for_answer("a tale to keep")
    terminal.press("C-d")
    terminal.wait_for_exit(0)
    terminal.submit(f"clear; '{BOWLINE}' --resume")
    terminal.wait("❯ say a tale to keep")
    terminal.press("Enter")
    terminal.wait("Resumed: say a tale to keep")
    terminal.wait_for_input()


def test_resume_a_wrong_id(_project, terminal):
    """bowline --resume with a wrong id says so, and how to choose, and leaves with 1."""
    terminal.submit(f"clear; '{BOWLINE}' --resume nowhere; echo \"left with $?\"")
    screen = terminal.wait_for_exit(1)
    check("no session nowhere" in screen, "the id is named", screen)
    check("bowline --resume" in screen, "the way out is named", screen)


def test_exit(_project, terminal):
    """/exit leaves."""
    terminal.start()
    terminal.say("/exit")
    terminal.wait_for_exit(0)


def test_a_skill_of_the_user(project, terminal):
    """A skill is listed, proposed and called; a slip gets a suggestion; /theme and /vim answer here."""
    skill = project.home / ".claude" / "skills" / "greet" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("---\ndescription: Greets the harbour\n---\nsay ahoy $ARGUMENTS\n")
    terminal.resize(100, rows=60)
    terminal.start()
    terminal.type("/gre")
    terminal.wait("Greets the harbour")
    terminal.press("C-u")
    terminal.say("/skills")
    terminal.wait("greet", look=terminal.transcript)
    terminal.say("/greet Juno")
    terminal.wait("› /greet Juno", look=terminal.transcript)
    terminal.wait_for_input()
    terminal.say("/greeet")
    terminal.wait("Did you mean /greet?", look=terminal.transcript)
    terminal.say("/theme plain")
    terminal.wait("looks like this from here on: plain", look=terminal.transcript)
    terminal.say("/vim")
    terminal.wait("keys of vi from here on", look=terminal.transcript)
