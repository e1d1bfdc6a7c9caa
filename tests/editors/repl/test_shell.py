"""Lines that begin with !: the user's own commands, by the rules of the agent's."""

import json

from model import Model
from terminal import check


def test_shell_line(project, terminal):
    """It runs, its output is shown, and the model reads of it with the next prompt."""
    with Model("I saw it.") as model:
        model.serve(project, terminal)
        terminal.start()
        terminal.type("!echo 日本 ahoy")
        terminal.wait("$ !echo 日本 ahoy")
        terminal.press("Enter")
        terminal.wait("⎿ 日本 ahoy")
        terminal.wait_for_input()
        check(not model.questions, "nobody was asked for it")
        terminal.say("what was that?")
        terminal.wait_for_answer("I saw it.")
        said = json.dumps(model.questions[0]["messages"], ensure_ascii=False)
        check("echo 日本 ahoy" in said and said.count("日本 ahoy") >= 2, "command and output reach the model", said)


def test_shell_line_stopped(_project, terminal):
    """Esc stops it; what it printed so far is there."""
    terminal.start()
    terminal.say("!echo begun; sleep 100")
    terminal.wait("⎿ begun")
    terminal.wait("esc to interrupt")
    terminal.press("Escape")
    screen = terminal.wait_for_input()
    check("⎿ begun" in screen and "⎿ stopped" in screen, "what it printed, and that it was stopped", screen)
    terminal.say("!false")
    terminal.wait("Exit code 1")


def test_shell_line_obeys(project, terminal):
    """A rule that denies holds for the user's own lines, and what no rule allows is asked about."""
    home = project.home / "bowline"
    home.mkdir(exist_ok=True)
    (home / "settings.json").write_text(json.dumps({"permissions": {"deny": ["Bash(touch:*)"], "ask": ["Bash(mkdir:*)"]}}))
    terminal.start()
    terminal.say("!touch forbidden")
    terminal.wait("● touch forbidden")
    terminal.wait_for_input()
    check(not (project.folder / "forbidden").exists(), "the rule holds")
    terminal.say("!mkdir asked")
    terminal.wait_for_question("mkdir asked")
    terminal.press("y")
    terminal.wait_for_input()
    terminal.wait(lambda _: (project.folder / "asked").is_dir(), "the folder, after a yes")
