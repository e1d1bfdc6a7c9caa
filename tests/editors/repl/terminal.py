"""A real terminal for the tests: tmux on a private socket, and a project with a home of its own.

Nothing here sleeps for luck: every wait looks at the screen until it is right or a deadline passes,
and then says what the screen showed instead.
"""

import os
import shutil
import signal
import subprocess
import tempfile
import textwrap
import time
from pathlib import Path

DEADLINE = 30.0
PAUSE = 0.02

BOWLINE = os.environ["BOWLINE_BIN"]
SOCKET = f"bowline-test-{os.getpid()}"

MAIN_RS = 'fn main() {\n    println!("hello");\n}\n'


class Failed(Exception):
    """A test's expectation was not met; the text says which, with the screen."""


class Project:
    """A folder with one file, and a home that belongs to this test alone."""

    def __init__(self):
        self.base = Path(tempfile.mkdtemp(prefix="bowline-editors-"))
        self.home = self.base / "home"
        self.folder = self.base / "project"
        self.home.mkdir()
        self.folder.mkdir()
        self.main = self.folder / "main.rs"
        self.main.write_text(MAIN_RS)

    def environment(self):
        """Everything a program of this test may see: no key, no settings of the machine."""
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "BOWLINE_HOME": str(self.home / "bowline"),
            "LANG": "C.UTF-8",
            "PS1": "$ ",
        }

    def remove(self):
        shutil.rmtree(self.base, ignore_errors=True)


def tmux(*arguments, stdin=None):
    command = ["tmux", "-L", SOCKET, "-f", "/dev/null", *arguments]
    done = subprocess.run(command, input=stdin, capture_output=True, text=True, timeout=DEADLINE)
    if done.returncode != 0:
        raise Failed(f"tmux {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout


class Terminal:
    """One tmux window of 80 by 24 with a shell in the project's folder."""

    count = 0

    def __init__(self, project, columns=80, rows=24):
        Terminal.count += 1
        self.name = f"t{Terminal.count}"
        self.project = project
        # The last prompt, and what was on the screen before it: its answer comes on top of them.
        self.said, self.before = "", ""
        environment = [f"{name}={value}" for name, value in project.environment().items()]
        size = ["-x", str(columns), "-y", str(rows)]
        shell = ["env", "-i", "TERM=tmux-256color", *environment, "bash", "--norc", "--noprofile"]
        folder = ["-c", str(project.folder)]
        tmux("new-session", "-d", "-s", self.name, *size, *folder, *shell)
        self.wait("$")

    def start(self, *arguments):
        """Starts Bowline and waits for its input line; the exit code is shown when it leaves."""
        self.said, self.before = "", ""
        words = " ".join([f"'{BOWLINE}'", *arguments])
        self.submit(f'clear; {words}; echo "left with $?"')
        self.wait_for_input()

    # What a user does

    def type(self, text):
        tmux("send-keys", "-t", self.name, "-l", "--", text)

    def press(self, *keys):
        tmux("send-keys", "-t", self.name, *keys)

    def submit(self, text):
        self.type(text)
        self.press("Enter")

    def say(self, text):
        """Types a prompt, sees it on the input line, and sends it."""
        self.before = self.transcript()
        self.type(text)
        self.wait(lambda screen: text[-20:] in screen, f"the typed text {text!r}")
        self.send(text)

    def send(self, text):
        """Sends what is on the input line, which is this."""
        self.said = text
        self.press("Enter")

    def paste(self, text):
        """As a terminal pastes: bracketed, if the program asked for that."""
        tmux("load-buffer", "-b", self.name, "-", stdin=text)
        tmux("paste-buffer", "-p", "-d", "-b", self.name, "-t", self.name)

    def resize(self, columns, rows=24):
        tmux("resize-window", "-t", self.name, "-x", str(columns), "-y", str(rows))

    # What a user sees

    def screen(self):
        return tmux("capture-pane", "-p", "-t", self.name)

    def colours(self):
        return tmux("capture-pane", "-p", "-e", "-t", self.name)

    def transcript(self):
        """The screen with all that scrolled away, long lines joined."""
        return tmux("capture-pane", "-p", "-J", "-S", "-", "-t", self.name)

    def fact(self, name):
        return tmux("display-message", "-p", "-t", self.name, f"#{{{name}}}").strip()

    def wait(self, wanted, what=None, look=None):
        """Until the screen contains a text or fulfils a condition; gives that screen."""
        look = look or self.screen
        fits = wanted if callable(wanted) else lambda screen: wanted in screen
        what = what or (repr(wanted) if isinstance(wanted, str) else "what the test waits for")
        end = time.monotonic() + DEADLINE
        while True:
            screen = look()
            if fits(screen):
                return screen
            if time.monotonic() > end:
                raise Failed(f"never saw {what}; the screen:\n{framed(screen)}")
            time.sleep(PAUSE)

    def wait_for_rows(self, wanted, first=0):
        """Until the rows from `first` on are exactly these; a row may end in blanks."""
        rows = textwrap.dedent(wanted).strip("\n").splitlines()
        rows = [row.rstrip() for row in rows]

        def same(screen):
            shown = [row.rstrip() for row in screen.splitlines()]
            shown += [""] * (first + len(rows) - len(shown))
            return shown[first : first + len(rows)] == rows

        return self.wait(same, "exactly these rows:\n" + framed("\n".join(rows)))

    def wait_for_input(self):
        """The input line is empty and nothing runs: the program waits for the user."""

        def idle(screen):
            lines = [line.rstrip() for line in screen.splitlines()]
            return "›" in lines and "to interrupt" not in screen and "starting …" not in lines

        return self.wait(idle, "an empty input line with nothing running")

    def wait_for_question(self, text):
        """A question with this text is in sight, and its keys count: then they are named."""
        ready = lambda screen: text in screen and "(n, esc)" in screen
        return self.wait(ready, f"a question with {text!r} that takes keys")

    def wait_for_answer(self, text):
        """A finished turn whose answer has this text, wherever it is by now."""
        known = self.before.count(text) + self.said.count(text)
        answered = f"an answer with {text!r}"
        self.wait(lambda shown: shown.count(text) > known, answered, look=self.transcript)
        return self.wait_for_input()

    def wait_until_still(self):
        """Nothing more is drawn: the colours of code, for one, come a moment after the text."""
        seen = []

        def still(screen):
            seen.append(screen)
            return len(seen) > 10 and len(set(seen[-10:])) == 1

        return self.wait(still, "a screen that does not change", look=self.colours)

    def wait_for_exit(self, code):
        return self.wait(f"left with {code}")

    # Processes

    def programs(self):
        """The process ids below this window's shell, nearest first."""
        found = []
        nearest = [int(self.fact("pane_pid"))]
        while nearest:
            nearest = [child for parent in nearest for child in children(parent)]
            found += nearest
        return found

    def kill_server(self):
        """What the out-of-memory killer would do to the server child."""
        servers = [process for process in self.programs() if "serve" in arguments_of(process)]
        if len(servers) != 1:
            raise Failed(f"expected one server process, found {len(servers)}")
        os.kill(servers[0], signal.SIGKILL)

    def close(self):
        tmux("kill-session", "-t", self.name)


def children(parent):
    try:
        tasks = Path(f"/proc/{parent}/task").iterdir()
        return [int(c) for task in tasks for c in (task / "children").read_text().split()]
    except OSError:
        return []


def arguments_of(process):
    try:
        return Path(f"/proc/{process}/cmdline").read_text().split("\0")
    except OSError:
        return []


def eventually(holds, what):
    """For what happens outside the screen: a file, a process."""
    end = time.monotonic() + DEADLINE
    while not holds():
        if time.monotonic() > end:
            raise Failed(f"never came true: {what}")
        time.sleep(PAUSE)


def check(condition, what, screen=None):
    if not condition:
        raise Failed(what if screen is None else f"{what}; the screen:\n{framed(screen)}")


def framed(screen):
    return "\n".join(f"    | {line}" for line in screen.rstrip("\n").splitlines())
