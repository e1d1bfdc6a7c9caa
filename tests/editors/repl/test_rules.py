"""Rules: how long an answer holds, and /permissions."""

from terminal import BOWLINE, check

ASK = 'replace "hello" with "goodbye" in main.rs'
AGAIN = 'replace "goodbye" with "farewell" in main.rs'


def test_answers_have_scopes(project, terminal):
    """A question offers scopes with their keys and rules; what holds for a turn ends with it."""
    terminal.resize(100, rows=40)
    terminal.start()
    terminal.say(f'{ASK} then {AGAIN}')
    screen = terminal.wait_for_question("Edit main.rs?")
    for part in ["until this turn ends (t)", "in this session (a)", "in all projects", "(u)"]:
        check(part in screen, f"the question has {part!r}", screen)
    check("Edit" in screen.split("Allow once", 1)[1], "the rule is named", screen)
    terminal.press("t")
    terminal.wait_for_answer("Replaced goodbye with farewell")
    check("farewell" in project.main.read_text(), "the second edit did not ask")
    terminal.say('replace "farewell" with "hello" in main.rs')
    terminal.wait_for_question("Edit main.rs?")


def test_a_command_is_changed(project, terminal):
    """`i` changes a command before it is allowed, and Esc goes back to the question."""
    terminal.start()
    terminal.say("/permissions ask Bash(touch:*)")
    terminal.wait("it counts from now on")
    terminal.say("run touch first")
    terminal.wait_for_question("touch first")
    terminal.press("i")
    terminal.wait("› touch first")
    terminal.press("Escape")
    terminal.wait_for_question("touch first")
    terminal.press("i")
    terminal.press("C-u")
    terminal.type("touch changed")
    terminal.wait("› touch changed")
    terminal.press("Enter")
    terminal.wait_for_input()
    check((project.folder / "changed").exists(), "the changed command ran")
    check(not (project.folder / "first").exists(), "the first one did not")


def test_a_key_typed_ahead_answers_nothing(project, terminal):
    """Keys that were on their way before the question do not answer it."""
    terminal.start()
    terminal.say(ASK)
    for _ in range(20):
        terminal.press("y")
    terminal.wait_for_question("Edit main.rs?")
    check("hello" in project.main.read_text(), "nothing was allowed")


def test_permissions(_project, terminal):
    """/permissions adds, lists and removes rules, and shows what was refused."""
    terminal.resize(100, rows=40)
    terminal.start()
    terminal.say(ASK)
    terminal.wait_for_question("Edit main.rs?")
    terminal.press("n")
    terminal.wait_for_input()
    terminal.say("/permissions ask Bash(make:*)")
    terminal.wait("it counts from now on")
    terminal.say("/permissions deny Read(./secret) --scope user")
    terminal.wait("deny Read(./secret): it counts from now on")
    terminal.say("/permissions")
    screen = terminal.wait("Refused lately")
    rows = screen.splitlines()
    for rule, place in [("Bash(make:*)", "session"), ("Read(./secret)", "settings.json")]:
        found = any(rule in row and place in row.split(rule)[1] for row in rows)
        check(found, f"{rule} is listed with {place}", screen)
    check("Edit main.rs" in screen.split("Refused lately")[1], "the refused edit is listed", screen)
    terminal.say("/permissions remove Bash(make:*)")
    terminal.wait("Removed: ask Bash(make:*)")
    terminal.say("/permissions remove")
    terminal.wait("1. deny Read(./secret)")
    terminal.press("Enter")
    terminal.wait("Removed: deny Read(./secret)")


def test_trust(project, terminal):
    """A folder with settings of its own asks for trust: Esc is not now, `y` makes them count."""
    settings = project.folder / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{"permissions": {"allow": ["Bash(make:*)"]}}')
    for key in ["Escape", "y"]:
        terminal.submit(f"clear; '{BOWLINE}'")
        screen = terminal.wait_for_question("Trust this folder")
        check("Bash(make:*)" in screen, "the question says what the folder switches on", screen)
        terminal.press(key)
        terminal.wait_for_input()
        terminal.say("/permissions")
        screen = terminal.wait("The mode is default")
        counts = "allow  Bash(make:*)" in screen.split("› /permissions")[-1]
        check(counts == (key == "y"), f"after {key} the rule counts: {counts}", screen)
        terminal.press("C-d")
        terminal.wait("$")
