"""The screen itself: resizing, long answers, and output that is not a screen."""

import subprocess

from terminal import BOWLINE, DEADLINE, Failed, check, tmux


def readable(screen, columns):
    """No line is torn: the two rules around the input fill the width, one prompt, one footer."""
    lines = screen.splitlines()
    rules = [line for line in lines if line and set(line) == {"─"}]
    footers = [line for line in lines if line.startswith("Rehearsal")]
    prompts = [line for line in lines if line.rstrip() == "›"]
    whole = all(len(line) == columns for line in rules)
    return len(rules) == 2 and whole and len(footers) == 1 and len(prompts) == 1


def test_resize(_project, terminal):
    """Narrow and wide again: one input box, one footer, and the text still there."""
    terminal.start()
    terminal.say("read main.rs")
    terminal.wait_for_answer('println!("hello");')
    # tmux wraps its rows a moment before it tells the program; what is drawn in between is torn.
    terminal.wait_until_still()
    for columns in [60, 80, 40, 100, 80]:
        terminal.resize(columns)
        terminal.wait(lambda s, c=columns: readable(s, c), f"a whole screen at {columns} columns")
        terminal.wait_until_still()
    check('println!("hello");' in terminal.transcript(), "the text is still there")
    terminal.say("say after the change")
    terminal.wait_for_answer("after the change")


def test_resize_at_a_question(project, terminal):
    """A question survives a resize and can be answered after it."""
    terminal.start()
    terminal.say('replace "hello" with "goodbye" in main.rs')
    terminal.wait_for_question("Edit main.rs?")
    terminal.resize(60)
    terminal.wait(lambda s: s.count("Allow once") == 1 and s.count("Edit main.rs?") == 1)
    terminal.resize(80)
    terminal.wait(lambda s: s.count("Allow once") == 1 and s.count("Edit main.rs?") == 1)
    terminal.press("y")
    terminal.wait_for_answer("Replaced hello with goodbye")
    check("goodbye" in project.main.read_text(), "the file is changed")


def test_long_answer(_project, terminal):
    """An answer of 20,000 words arrives whole, and keys work meanwhile."""
    tmux_history(terminal)
    terminal.start()
    terminal.say("say 20000 words")
    terminal.type("meanwhile")
    terminal.wait("› meanwhile")
    terminal.wait(lambda s: "to interrupt" not in s and "tokens (" in s, "the end of the turn")
    shown = " ".join(terminal.transcript().split())
    said = shown.count("bowline holds under load")
    check(said >= 1666, f"every line arrived ({said} of 1666)")
    screen = terminal.wait("› meanwhile")
    check(screen.count("Rehearsal (") == 1, "one footer", screen)


def test_scrollback_is_clean(_project, terminal):
    """What scrolled away is the conversation alone: no rules, no spinners, no questions."""
    terminal.start()
    terminal.say("say 300 words")
    terminal.wait_for_answer("bowline holds under load")
    terminal.say('replace "hello" with "goodbye" in main.rs')
    terminal.wait_for_question("Edit main.rs?")
    terminal.press("y")
    terminal.wait_for_answer("Replaced hello with goodbye")
    terminal.say("/help")
    terminal.wait("ctrl+_")
    terminal.say("run seq 1 200")
    terminal.wait_for_answer("more lines.")
    terminal.type("/")
    terminal.wait("❯ /help")
    terminal.press("Escape", "BSpace")
    terminal.wait_for_input()
    shown = terminal.transcript()
    lines = [line.rstrip() for line in shown.splitlines()]
    check(sum(set(line) == {"─"} for line in lines) == 2, "the two rules of the input only", shown)
    check(lines.count("›") == 1, "one input line", shown)
    for left in ["to interrupt", "waits for your answer", "Allow once", "starting …", "❯"]:
        check(left not in shown, f"{left!r} was left behind", shown)


def test_typed_while_it_starts(_project, terminal):
    """What is typed and sent before the server is ready is asked when it is."""
    terminal.submit(f"clear; '{BOWLINE}'")
    # The input is there before the server is.
    terminal.wait(lambda s: any(line.startswith("›") for line in s.splitlines()), "the input")
    terminal.submit("say an early bird")
    terminal.wait_for_answer("I am the rehearsal model")
    shown = terminal.transcript()
    check(shown.count("an early bird") >= 2, "the early prompt and its answer", shown)


def test_resize_while_it_streams(_project, terminal):
    """A resize in the middle of an answer: afterwards there is one input and one foot."""
    terminal.start()
    terminal.say("say 60000 words")
    terminal.wait("bowline holds under load")
    terminal.resize(60)
    terminal.resize(80)
    terminal.wait(lambda s: "to interrupt" not in s and "tokens (" in s, "the end of the turn")
    terminal.wait_until_still()
    # A row that was drawn between tmux's own wrapping and its word about it may be left above.
    screen = terminal.screen()
    lines = [line.rstrip() for line in screen.splitlines()]
    check(lines.count("›") == 1, "one input", screen)
    check(sum(line.startswith("Rehearsal") for line in lines) == 1, "one foot", screen)
    terminal.say("say after the change")
    terminal.wait_for_answer("after the change")


def tmux_history(terminal):
    """A window with room for the whole answer; the limit counts for windows made after it."""
    tmux("set-option", "-g", "history-limit", "20000")
    terminal.close()
    terminal.__init__(terminal.project)


def plain(project, words, text, **more):
    done = subprocess.run(
        [BOWLINE, *words],
        input=text,
        cwd=project.folder,
        env=project.environment() | more,
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        start_new_session=True,
    )
    if done.returncode != 0:
        raise Failed(f"exit code {done.returncode}: {done.stderr}")
    return done.stdout


def test_pipe(project, _terminal):
    """In a pipe it reads prompts line by line and prints plain text without escapes."""
    out = plain(project, [], "read main.rs\n")
    check('println!("hello");' in out, "the text is printed", out)
    check("\x1b" not in out and "\r" not in out, "no escapes", out)


def test_pipe_denies(project, _terminal):
    """In a pipe with no terminal to ask on, an edit is denied and the output says so."""
    out = plain(project, [], 'replace "hello" with "goodbye" in main.rs\n')
    check("denied" in out.lower(), "it says so", out)
    check("hello" in project.main.read_text(), "nothing is changed")


def test_output_piped_in_a_terminal(_project, terminal):
    """`bowline | cat` in a terminal is plain too."""
    terminal.submit(f"clear; echo 'read main.rs' | '{BOWLINE}' | cat -v; echo done with it")
    screen = terminal.wait("done with it\n$")
    check("^[" not in screen, "no escapes", screen)
    check('println!("hello");' in screen, "the text is printed", screen)


def test_dumb_terminal(_project, terminal):
    """TERM=dumb gets plain lines."""
    command = f"echo 'read main.rs' | TERM=dumb '{BOWLINE}'; echo done with it"
    terminal.submit(f"clear; {command}")
    screen = terminal.wait("done with it\n$")
    check("───" not in screen and 'println!("hello");' in screen, "plain text", screen)


def test_no_color(_project, terminal):
    """NO_COLOR gets a screen without colours."""
    terminal.submit("export NO_COLOR=1")
    terminal.start()
    terminal.say("read main.rs")
    terminal.wait_for_answer('println!("hello");')
    screen = terminal.colours()
    check(not any(f"\x1b[{c}m" in screen for c in range(30, 38)), "no colours", screen)
