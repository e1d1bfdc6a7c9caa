"""Steps and tasks: in sight, in place, and to be stopped."""

from model import Model
from terminal import check


def steps(*states):
    items = [{"content": f"step {at} 日本", "activeForm": f"doing {at} 日本", "status": state} for at, state in enumerate(states, 1)]
    return [("TodoWrite", {"todos": items})]


def test_steps(project, terminal):
    """The steps stand above the input and change in their place; Ctrl-T hides them; done, they are told once."""
    answers = [steps("in_progress", "pending", "pending"), steps("completed", "in_progress", "pending"), "Paused."]
    answers += [steps("completed", "completed", "completed"), "Finished."]
    with Model(*answers) as model:
        model.serve(project, terminal)
        terminal.start()
        terminal.say("work")
        screen = terminal.wait_for_answer("Paused.")
        rows = [row.rstrip() for row in screen.splitlines()]
        at = rows.index("Steps 1/3 (ctrl+t hides them)")
        wanted = ["  ☑ step 1 日本", "  ▶ doing 2 日本", "  ☐ step 3 日本", "─" * 80]
        check(rows[at + 1 : at + 5] == wanted, "the steps, in place above the input", screen)
        check(terminal.transcript().count("Steps ") == 1, "they are there once", screen)
        terminal.press("C-t")
        screen = terminal.wait("Steps 1/3 · doing 2 日本 (ctrl+t shows them)")
        check("☐ step 3" not in screen, "they are hidden", screen)
        terminal.resize(120, 40)
        terminal.press("C-t")
        terminal.wait("☐ step 3 日本")
        terminal.say("go on")
        screen = terminal.wait_for_answer("Finished.")
        check("Steps " not in screen and screen.count("☑ step 3 日本") == 1, "told once, and off the screen", screen)


def test_tasks(project, terminal):
    """A command in the background is listed with its output, which grows, and is stopped after a question."""
    command = "for i in 1 2 3 4 5 6 7 8 9; do echo line $i 日本; sleep 1; done; sleep 300"
    call = {"command": command, "run_in_background": True, "description": "counts"}
    with Model([("Bash", call)], "It runs.") as model:
        model.serve(project, terminal)
        terminal.start("--permission-mode", "default", "--allowedTools", "Bash")
        terminal.say("begin")
        terminal.wait_for_answer("It runs.")
        terminal.wait("· 1 task ·")
        terminal.press("M-t")
        screen = terminal.wait("Background tasks")
        check("1 running, 0 ended" in screen and "❯ $ " in screen, "it is listed", screen)
        terminal.press("Enter")
        terminal.wait("line 1 日本")
        terminal.wait("line 3 日本")
        terminal.resize(60, 20)
        terminal.wait(lambda s: "─" * 60 in s and "─" * 61 not in s and "line 3 日本" in s, "a whole page at 60 by 20")
        terminal.press("x")
        terminal.wait("y stops it")
        terminal.press("n")
        terminal.press("x")
        terminal.wait("y stops it")
        terminal.press("y")
        terminal.wait("stopped ·")
        terminal.press("Escape")
        terminal.wait("0 running, 1 ended")
        terminal.press("Escape")
        screen = terminal.wait_for_input()
        check("1 task" not in screen, "nothing runs any more", screen)


def test_no_tasks(_project, terminal):
    """/tasks says when nothing runs."""
    terminal.start()
    terminal.say("/tasks")
    terminal.wait("Nothing runs in the background.")
    terminal.press("q")
    terminal.wait_for_input()
