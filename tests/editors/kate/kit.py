"""Kate as a person has it: with a screen, a keyboard and its own LSP client, in a box with nothing of this
machine but the program under test. What it and the server say to each other is written down on the way."""

import json
import os
import re
import shlex
import subprocess
import tempfile
import time
from pathlib import Path

DEADLINE = 60

RC = """[General]
Show welcome view for new window=false
Startup Session=new
[Kate Plugins]
lspclientplugin=true
kateprojectplugin=false
katekonsoleplugin=false
[lspclient]
AllowedServerCommandLines=/opt/tapped
"""

# As the notes for users say it, but for the name of the program.
SERVERS = {
    "servers": {
        "markdown": {
            "command": ["/opt/tapped"],
            "rootIndicationFileNames": [".git"],
            "url": "",
            "highlightingModeRegex": "^Markdown$",
        }
    }
}

TAPPED = "#!/bin/sh\ntee -a /tmp/in.log | /opt/bowline serve 2>/tmp/err.log | tee -a /tmp/out.log\n"

# One line in, one action, one line out.
INSIDE = """
Xvfb :7 -screen 0 1280x800x24 >/tmp/xvfb.log 2>&1 &
until xdotool getmouselocation >/dev/null 2>&1; do sleep 0.1; done
dbus-run-session kate --startanon --new --block {files} >/tmp/kate.log 2>&1 &
while IFS= read -r line; do eval "xdotool $line" >/dev/null 2>&1; echo done; done
"""


class Kate:
    def __init__(self, files, first):
        self.base = Path(tempfile.mkdtemp(prefix="bowline-kate-"))
        self.project = self.base / "project"
        for folder in ["project/.git", "home/.config/kate/lspclient", "tmp"]:
            (self.base / folder).mkdir(parents=True)
        for name, text in files.items():
            (self.project / name).write_text(text)
        config = self.base / "home/.config"
        (config / "katerc").write_text(RC)
        (config / "kate/lspclient/settings.json").write_text(json.dumps(SERVERS))
        (self.base / "passwd").write_text("root:x:0:0::/home/user:/bin/sh\n")
        (self.base / "group").write_text("root:x:0:\n")
        tapped = self.base / "tapped"
        tapped.write_text(TAPPED)
        tapped.chmod(0o755)
        # The last one named is in front.
        names = [name for name in files if name != first] + [first]
        inside = INSIDE.format(files=" ".join(f"/project/{name}" for name in names))
        self.box = subprocess.Popen(
            [*self.walls(), "/bin/sh", "-c", inside],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.until(lambda: self.said("textDocument/didOpen"), "Kate opens a file with the server")

    def walls(self):
        root, base = os.environ["KATE_ROOT"], self.base
        binds = [
            ("--ro-bind", f"{root}/usr", "/usr"),
            ("--ro-bind", f"{root}/etc", "/etc"),
            ("--bind", f"{base}/tmp", "/tmp"),
            ("--bind", f"{base}/home", "/home/user"),
            ("--bind", f"{base}/project", "/project"),
            ("--ro-bind", f"{base}/passwd", "/etc/passwd"),
            ("--ro-bind", f"{base}/group", "/etc/group"),
            ("--ro-bind", f"{base}/tapped", "/opt/tapped"),
            ("--ro-bind", os.environ["BOWLINE_BIN"], "/opt/bowline"),
        ]
        links = [("--symlink", f"usr/{name}", f"/{name}") for name in ["bin", "lib", "lib64", "sbin"]]
        environment = {
            "HOME": "/home/user",
            "PATH": "/usr/bin",
            "XDG_RUNTIME_DIR": "/tmp",
            "DISPLAY": ":7",
            "LANG": "C.UTF-8",
            "LIBGL_ALWAYS_SOFTWARE": "1",
            "BOWLINE_HOME": "/home/user/bowline",
        }
        sets = [word for name, value in environment.items() for word in ("--setenv", name, value)]
        shape = ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/var", "--dir", "/var/lib/xkb"]
        return [
            os.environ["BWRAP"],
            *["--unshare-net", "--unshare-pid", "--die-with-parent", "--clearenv", "--chdir", "/"],
            *[word for bind in binds[:2] for word in bind],
            *[word for link in links for word in link],
            *shape,
            *[word for bind in binds[2:] for word in bind],
            *sets,
        ]

    def do(self, *words):
        """One action of xdotool."""
        self.box.stdin.write(" ".join(shlex.quote(word) for word in words) + "\n")
        self.box.stdin.flush()
        assert self.box.stdout.readline() == "done\n", "the box is gone"

    def key(self, *keys):
        self.do("key", "--delay", "60", *keys)

    def type(self, text):
        self.do("type", "--delay", "20", text)

    def messages(self, side):
        """What was said so far: `in` by Kate, `out` by the server."""
        file = self.base / f"tmp/{side}.log"
        data = file.read_bytes() if file.exists() else b""
        at, found = 0, []
        while head := re.compile(rb"Content-Length: (\d+)\r\n\r\n").search(data, at):
            at = head.end() + int(head.group(1))
            if at <= len(data):
                found.append(json.loads(data[head.end() : at]))
        return found

    def said(self, method, side="in"):
        return [message for message in self.messages(side) if message.get("method") == method]

    def until(self, condition, what):
        end = time.monotonic() + DEADLINE
        while not (result := condition()):
            assert time.monotonic() < end, f"never came true: {what}\n{self.report()}"
            time.sleep(0.1)
        return result

    def action(self, title):
        """Takes the code action with this title at the caret, by keyboard."""
        before = len(self.said("textDocument/codeAction"))
        self.key("alt+Return")
        asked = self.until(
            lambda: self.said("textDocument/codeAction")[before:], "Kate asks for code actions"
        )
        answers = lambda: [m for m in self.messages("out") if m.get("id") == asked[-1]["id"]]
        offered = [item["title"] for item in self.until(answers, "an answer")[-1]["result"]]
        places = [at for at, offer in enumerate(offered) if offer.startswith(title)]
        assert places, f"{title} is not among {offered}"
        # The menu opens when the answer is there.
        time.sleep(0.5)
        self.key(*["Down"] * (places[0] + 1), "Return")

    def ask(self, prompt):
        """Writes a prompt at the end of the chat document, which is in front, and saves."""
        self.key("ctrl+End", "Return")
        self.type(f"> {prompt}")
        self.key("Return", "ctrl+s")

    def on_disk(self, name):
        return (self.project / name).read_text()

    def saved(self, name, text):
        """Saves what is in front and waits until the disk says this, or what a function accepts."""

        def same():
            self.key("ctrl+s")
            found = self.on_disk(name)
            return text(found) if callable(text) else found == text

        self.until(same, f"{name} is {text!r}, not {self.on_disk(name)!r}")

    def report(self):
        return "\n".join(json.dumps(message)[:300] for message in self.messages("out")[-8:])

    def stop(self):
        self.box.stdin.close()
        self.box.kill()
        self.box.wait()
