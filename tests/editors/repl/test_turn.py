"""A turn while it runs: stopping it, typing meanwhile, and what happens when the server dies."""

from terminal import check, children, eventually


def running_sleep(terminal):
    """Asks for a long command and returns when it runs."""
    terminal.say("run sleep 30")
    terminal.wait(lambda s: "(y)" in s or "to interrupt" in s, "a question or a running turn")
    if "(y)" in terminal.screen():
        terminal.press("y")
    eventually(lambda: "sleep" in names(terminal), "the command runs")


def names(terminal):
    found = []
    for process in terminal.programs():
        try:
            with open(f"/proc/{process}/comm", encoding="utf-8") as file:
                found.append(file.read().strip())
        except OSError:
            continue
    return found


def test_escape_cancels(_project, terminal):
    """Esc stops a running command, its process is gone, and the next prompt works."""
    terminal.start()
    running_sleep(terminal)
    terminal.press("Escape")
    terminal.wait_for_input()
    eventually(lambda: "sleep" not in names(terminal), "the command's process is gone")
    terminal.say("say still here")
    terminal.wait_for_answer("still here")


def test_control_c_cancels(_project, terminal):
    """Ctrl-C stops a running turn and does not leave the program."""
    terminal.start()
    running_sleep(terminal)
    terminal.press("C-c")
    terminal.wait_for_input()
    eventually(lambda: "sleep" not in names(terminal), "the command's process is gone")
    terminal.say("say still here")
    terminal.wait_for_answer("still here")


def test_typing_while_it_runs(_project, terminal):
    """A prompt sent while a turn runs waits and is answered after it."""
    terminal.start()
    terminal.say("run sleep 1")
    terminal.wait(lambda s: "(y)" in s or "to interrupt" in s, "a question or a running turn")
    if "(y)" in terminal.screen():
        terminal.press("y")
    terminal.say("say second prompt")
    terminal.wait_for_answer("second prompt")


def test_a_stop_keeps_what_waits(_project, terminal):
    """After a stop the waiting prompt stays in sight, and the next one wakes it."""
    terminal.start()
    running_sleep(terminal)
    terminal.say("say second prompt")
    terminal.wait(lambda s: "› say second prompt" in s and s.count("›") >= 3, "the waiting prompt")
    terminal.press("Escape")
    terminal.wait("your next prompt wakes it")
    terminal.say("say third prompt")
    terminal.wait_for_answer("third prompt")
    shown = terminal.transcript()
    check(shown.count("second prompt") == 2, "the second was answered", shown)
    check(shown.rindex("second prompt") < shown.rindex("third prompt"), "in order", shown)


def test_server_dies(_project, terminal):
    """When the server is killed the client says so, restores the terminal and exits with 1."""
    terminal.start()
    terminal.say("say ready")
    terminal.wait_for_answer("ready")
    terminal.kill_server()
    screen = terminal.wait_for_exit(1)
    check("server" in screen.lower(), "a sentence says what happened", screen)
    terminal.submit("stty -a | grep -ow -e '-echo' -e 'echo' -e '-icanon' -e icanon | xargs echo is")
    terminal.wait("is icanon echo")
    check(terminal.fact("cursor_flag") == "1", "the cursor is visible")


def test_leaving_leaves_nothing(_project, terminal):
    """Ctrl-D leaves: no process stays, echo works, the cursor is visible."""
    terminal.start()
    terminal.say("read main.rs")
    terminal.wait_for_answer('println!("hello");')
    terminal.press("C-d")
    terminal.wait_for_exit(0)
    eventually(lambda: not children(int(terminal.fact("pane_pid"))), "no process is left")
    check(terminal.fact("cursor_flag") == "1", "the cursor is visible")
    terminal.submit("stty -a | grep -ow -e '-echo' -e 'echo' -e '-icanon' -e icanon | xargs echo is")
    terminal.wait("is icanon echo")
    terminal.submit("echo typed and seen")
    terminal.wait(lambda s: s.count("typed and seen") >= 2, "the typed line and what it printed")


def test_control_c_twice_leaves(_project, terminal):
    """Ctrl-C clears what was typed; twice on an empty line leaves."""
    terminal.start()
    terminal.type("half a thought")
    terminal.wait("half a thought")
    terminal.press("C-c")
    terminal.wait_for_input()
    check("half a thought" not in terminal.screen(), "the line is cleared", terminal.screen())
    terminal.press("C-c")
    terminal.wait(lambda s: "again" in s.lower(), "a word that a second one leaves")
    terminal.press("C-c")
    terminal.wait("left with ")
