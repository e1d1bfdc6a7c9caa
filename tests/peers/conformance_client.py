"""The client that the MCP conformance suite starts: the real binary, with a user who agrees.

The suite gives a server's address as the last argument. The binary is asked to call each tool the
server has, by a model that follows a script; where the server wants a sign-in, `bowline mcp login`
is run and the page it shows is opened, as a browser would. BOWLINE_BIN names the binary.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
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
# Signing in more often than this would be an endless loop.
SIGN_INS = 3


def environment(home):
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
    kept.update(HOME=str(home), BOWLINE_HOME=str(home / ".bowline"))
    if "client_secret" in CONTEXT:
        kept["MCP_CLIENT_SECRET"] = CONTEXT["client_secret"]
    return kept


def configure(home, url):
    server = {"type": "http", "url": url}
    if "client_id" in CONTEXT:
        server["oauth"] = {"clientId": CONTEXT["client_id"]}
    folder = home / ".bowline"
    folder.mkdir()
    (folder / "settings.json").write_text(json.dumps({"mcpServers": {"peer": server}}))


def browse(page):
    """Opens a page and goes where it leads, to our own callback in the end."""
    try:
        urllib.request.urlopen(page, timeout=20).read()
    except urllib.error.HTTPError as error:
        print(f"the page said {error.code}", file=sys.stderr)


def sign_in(home, project):
    command = [BINARY, "mcp", "login", "peer"]
    running = subprocess.Popen(
        command, cwd=project, env=environment(home), text=True, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )
    for line in running.stdout:
        print("login:", line.rstrip(), file=sys.stderr)
        if re.match(r"https?://", line):
            browse(line.strip())
    print("login:", running.stderr.read().rstrip(), file=sys.stderr)
    return running.wait() == 0


def ask(home, project, call):
    """One prompt, answered by a script that calls the tool. What the tool said comes back."""
    script = project / "script.toml"
    text = '[[answer]]\nforever = true\nstep = [{ text = "done" }]\n'
    if call:
        name, arguments = call
        step = f"{{ tool = \"mcp__peer__{name}\", json = '{json.dumps(arguments)}' }}"
        text = f"[[answer]]\nstep = [{step}]\n" + text
    script.write_text(text)
    server = subprocess.Popen(
        [BINARY, "model-server", "--scenario", str(script)], cwd=project, env=environment(home),
        text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
    )
    try:
        address = re.search(r"http://\S+", server.stdout.readline()).group(0)
        with_model = environment(home) | {
            "ANTHROPIC_BASE_URL": address, "ANTHROPIC_API_KEY": "scripted",
            "ENABLE_TOOL_SEARCH": "false",
        }
        command = [
            BINARY, "-p", "go", "--output-format", "stream-json", "--allowedTools", "mcp__peer",
        ]
        done = subprocess.run(
            command, cwd=project, env=with_model, text=True, capture_output=True, timeout=60,
            stdin=subprocess.DEVNULL, check=False,
        )
        print(done.stdout, done.stderr, file=sys.stderr)
        return done.stdout + done.stderr
    finally:
        server.terminate()
        server.wait()


def main():
    url = sys.argv[-1]
    call = CALLS.get(SCENARIO, ("test-tool", {}))
    with tempfile.TemporaryDirectory() as folder:
        home, project = Path(folder, "home"), Path(folder, "project")
        home.mkdir()
        project.mkdir()
        configure(home, url)
        for _ in range(SIGN_INS + 1):
            said = ask(home, project, call)
            if "sign in" not in said:
                return 0
            if not sign_in(home, project):
                return 1
        return 1


if __name__ == "__main__":
    sys.exit(main())
