"""A model that says what a test tells it to: chat completions over loopback, one answer for each question.

An answer is a text, or a list of calls `(tool, input)`. What nobody wrote an answer for gets "Nothing more.".
"""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Model:
    def __init__(self, *answers):
        self.answers = list(answers)
        self.questions = []
        self.go_on = threading.Event()
        self.go_on.set()
        model = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.0"

            def log_message(self, *_):
                pass

            def do_GET(self):
                self.reply({"object": "list", "data": [{"id": "scripted", "object": "model"}]})

            def do_POST(self):
                question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                model.questions.append(question)
                model.go_on.wait(30)
                answer = model.answers.pop(0) if model.answers else "Nothing more."
                if question.get("stream"):
                    self.stream(answer)
                else:
                    message = {"role": "assistant", "content": answer if isinstance(answer, str) else ""}
                    choice = {"index": 0, "message": message, "finish_reason": "stop"}
                    self.reply({"id": "x", "object": "chat.completion", "model": "scripted", "choices": [choice]})

            def reply(self, body):
                data = json.dumps(body).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def stream(self, answer):
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.end_headers()
                if isinstance(answer, str):
                    self.piece({"role": "assistant", "content": answer}, None)
                    self.piece({}, "stop")
                else:
                    for at, (name, given) in enumerate(answer):
                        function = {"name": name, "arguments": json.dumps(given)}
                        call = {"index": at, "id": f"call_{len(model.questions)}_{at}", "type": "function"}
                        self.piece({"tool_calls": [call | {"function": function}]}, None)
                    self.piece({}, "tool_calls")
                self.wfile.write(b"data: [DONE]\n\n")

            def piece(self, delta, reason):
                choice = {"index": 0, "delta": delta, "finish_reason": reason}
                chunk = {"id": "x", "object": "chat.completion.chunk", "model": "scripted", "choices": [choice]}
                self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
                self.wfile.flush()

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.go_on.set()
        self.server.shutdown()

    def serve(self, project, terminal):
        """The next start in this terminal talks to this model; no helper asks it beside the conversation."""
        home = project.home / "bowline"
        home.mkdir(exist_ok=True)
        helpers = {name: False for name in ["title", "magicDocs", "awaySummary", "sessionMemory", "toolSummaries"]}
        settings = {"helpers": helpers, "promptSuggestionEnabled": False}
        (home / "settings.json").write_text(json.dumps(settings))
        url = f"http://127.0.0.1:{self.server.server_port}/v1"
        terminal.submit(f"export OPENAI_BASE_URL={url} OPENAI_MODEL=scripted OPENAI_API_KEY=none; clear")
        terminal.wait("$")
