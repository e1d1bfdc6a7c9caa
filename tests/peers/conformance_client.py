"""The client that the MCP conformance suite starts: the real binary, with a user who agrees.

The suite gives a server's address as the last argument. `bowline serve` is spoken to as an editor
does it: a session with that server, one prompt, and a model that follows a script and calls the tool
that the scenario has. What is asked is answered: permissions with yes, forms with what they suggest,
pages by opening them, as a browser would. BOWLINE_BIN names the binary.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

BINARY = os.environ["BOWLINE_BIN"]
SCENARIO = os.environ.get("MCP_CONFORMANCE_SCENARIO", "")
CONTEXT = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT") or "{}")
# What each scenario's server has. Servers that want a sign-in all have the same tool.
CALLS = {
    "initialize": None,
    "tools_call": ("add_numbers", {"a": 5, "b": 3}),
    "elicitation-sep1034-client-defaults": ("test_client_elicitation_defaults", {}),
    "sse-retry": ("test_reconnection", {}),
}
# Nothing of this takes longer.
DEADLINE = 60
# Nobody agrees more often than this to the same thing.
SIGN_INS = 2


def environment(home):
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
    kept.update(HOME=str(home), BOWLINE_HOME=str(home / ".bowline"), ENABLE_TOOL_SEARCH="false")
    if "client_secret" in CONTEXT:
        kept["MCP_CLIENT_SECRET"] = CONTEXT["client_secret"]
    return kept


def browse(page):
    """Opens a page and goes where it leads, to our own callback in the end."""
    try:
        urllib.request.urlopen(page, timeout=20).read()
    except urllib.error.HTTPError as error:
        print(f"the page said {error.code}", file=sys.stderr)


def sign_in_by_hand(home, project):
    """`bowline mcp login`, for clients that were registered by hand and have a secret."""
    running = subprocess.Popen(
        [BINARY, "mcp", "login", "peer"], cwd=project, env=environment(home), text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=sys.stderr,
    )
    for line in running.stdout:
        if re.match(r"https?://", line):
            browse(line.strip())
    return running.wait() == 0


class Editor:
    """A client of the language server, on its pipes."""

    def __init__(self, project, env):
        self.process = subprocess.Popen(
            [BINARY, "serve"], cwd=project, env=env, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=sys.stderr,
        )
        self.count = 0
        self.ended = False
        agent = {"version": 1, "permission": True, "ask": True}
        capabilities = {"experimental": {"agent": agent}}
        params = {"processId": None, "rootUri": None, "capabilities": capabilities}
        self.request("initialize", params)
        self.send({"method": "initialized", "params": {}})

    def send(self, message):
        body = json.dumps(dict(message, jsonrpc="2.0")).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def receive(self):
        length = 0
        while (line := self.process.stdout.readline().strip()):
            name, value = line.split(b":")
            if name.lower() == b"content-length":
                length = int(value)
        return json.loads(self.process.stdout.read(length))

    def request(self, method, params):
        self.count += 1
        self.send({"id": self.count, "method": method, "params": params})
        while True:
            message = self.receive()
            if message.get("id") == self.count and "method" not in message:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
            self.on(message)

    def on(self, message):
        method, params = message.get("method"), message.get("params", {})
        if method == "agent/event":
            print("event:", json.dumps(params)[:500], file=sys.stderr)
            self.ended = self.ended or params.get("type") == "turn.ended"
        elif method == "agent/permission/request":
            self.send({"id": message["id"], "result": {"optionId": "allow_once"}})
        elif method == "agent/ask":
            if params.get("url"):
                browse(params["url"])
            # Whoever agrees without a word takes what the form suggests.
            self.send({"id": message["id"], "result": {"action": "accept", "content": {}}})
        elif method and "id" in message:
            self.send({"id": message["id"], "result": None})

    def stands(self, session):
        servers = self.request("agent/mcp", {"op": "list", "sessionId": session})["servers"]
        return servers[0]["status"]

    def connect(self, session):
        until, agreed = time.monotonic() + DEADLINE, 0
        while time.monotonic() < until:
            status = self.stands(session)
            if status == "connected":
                return True
            if status == "failed" or (status == "needsAuth" and agreed == SIGN_INS):
                return False
            if status == "needsAuth":
                agreed += 1
                params = {"op": "authenticate", "server": "peer", "sessionId": session}
                browse(self.request("agent/mcp", params)["servers"][0]["authUrl"])
                # It connects anew; one that wants yet another sign-in says so again.
                soon = time.monotonic() + 3
                while self.stands(session) == "needsAuth" and time.monotonic() < soon:
                    time.sleep(0.05)
            time.sleep(0.05)
        return False

    def leave(self):
        self.request("shutdown", None)
        self.send({"method": "exit"})
        self.process.wait(timeout=20)


def model(project, env, call):
    """A model that calls the tool, and then has nothing to add."""
    script = project / "script.toml"
    text = '[[answer]]\nforever = true\nstep = [{ text = "done" }]\n'
    if call:
        name, arguments = call
        step = f"{{ tool = \"mcp__peer__{name}\", json = '{json.dumps(arguments)}' }}"
        text = f"[[answer]]\nstep = [{step}]\n" + text
    script.write_text(text)
    return subprocess.Popen(
        [BINARY, "model-server", "--scenario", str(script)], cwd=project, env=env, text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
    )


def run(home, project, server):
    scripted = model(project, environment(home), CALLS.get(SCENARIO, ("test-tool", {})))
    try:
        address = re.search(r"http://\S+", scripted.stdout.readline()).group(0)
        with_model = {"ANTHROPIC_BASE_URL": address, "ANTHROPIC_API_KEY": "scripted"}
        editor = Editor(project, environment(home) | with_model)
        params = {"cwd": str(project), "mcpServers": {"peer": server}}
        session = editor.request("agent/session/new", params)["sessionId"]
        connected = editor.connect(session)
        if connected:
            prompt = {"sessionId": session, "content": [{"type": "text", "text": "go"}]}
            editor.request("agent/session/prompt", prompt)
            while not editor.ended:
                editor.on(editor.receive())
        editor.leave()
        return 0 if connected else 1
    finally:
        scripted.terminate()
        scripted.wait()


def main():
    server = {"type": "http", "url": sys.argv[-1]}
    if "client_id" in CONTEXT:
        server["oauth"] = {"clientId": CONTEXT["client_id"]}
    with tempfile.TemporaryDirectory() as folder:
        home, project = Path(folder, "home"), Path(folder, "project")
        (home / ".bowline").mkdir(parents=True)
        project.mkdir()
        settings = {"mcpServers": {"peer": server}, "sandbox": {"enabled": False}}
        (home / ".bowline/settings.json").write_text(json.dumps(settings))
        if "client_secret" in CONTEXT and not sign_in_by_hand(home, project):
            return 1
        return run(home, project, server)


if __name__ == "__main__":
    sys.exit(main())
