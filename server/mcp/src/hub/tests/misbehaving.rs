//! Servers that crash, hang, flood and lie. Each is a few lines of Python.

use super::*;
use crate::config::{Scope, parse_config};

/// Reads requests and answers them; what each test does otherwise it gives to `run`.
const BASE: &str = r#"
import json, sys
def send(message): sys.stdout.write(json.dumps(message) + "\n"); sys.stdout.flush()
def reply(request, result): send({"jsonrpc": "2.0", "id": request["id"], "result": result})
TOOL = {"name": "t", "inputSchema": {"type": "object"}}
def start(request):
    reply(request, {"protocolVersion": request["params"]["protocolVersion"],
        "capabilities": {"tools": {}}, "serverInfo": {"name": "x", "version": "1"}})
def tools(request): reply(request, {"tools": [TOOL]})
def call(request): reply(request, {"content": [{"type": "text", "text": "done"}]})
def run(**own):
    on = {"initialize": start, "tools/list": tools, "tools/call": call}
    on.update({name.replace("_", "/"): what for name, what in own.items()})
    for line in sys.stdin:
        request = json.loads(line)
        if request.get("method") in on: on[request["method"]](request)
"#;

fn script(text: &str) -> Vec<ServerConfig> {
    let code = format!("{BASE}\n{text}");
    let json = json!({ "mcpServers": {
        "bad": { "command": "python3", "args": ["-c", code] },
        "fake": { "type": "sdk" },
    } });
    parse_config(&json.to_string(), Scope::User).0
}

/// The bad server of a hub whose other server is fine.
async fn beside_a_good_one(text: &str) -> (Hub, Arc<Server>) {
    let hub = hub(Fake::default(), script(text));
    connected(&hub.server("fake").unwrap()).await;
    let bad = hub.server("bad").unwrap();
    (hub, bad)
}

async fn fails(text: &str, expect: &str) {
    let (hub, bad) = beside_a_good_one(text).await;
    let now = until(&bad, |now| now.status == Status::Failed).await;
    let error = now.error.unwrap();
    assert!(error.contains(expect), "{error}");
    let good = hub.server("fake").unwrap();
    let said = good.call_tool("echo", arguments(json!({ "text": "still here" })), |_| ()).await;
    assert_eq!(said.unwrap().parts, [Part::Text("still here".to_owned())]);
}

#[tokio::test]
async fn one_that_ends_at_once() {
    fails("print('no key', file=sys.stderr); sys.exit(3)", "no key").await;
}

#[tokio::test]
async fn one_that_there_is_not() {
    let json = r#"{"mcpServers": {"bad": {"command": "/nonexistent/x"}}}"#;
    let hub = hub(Fake::default(), parse_config(json, Scope::User).0);
    let now = until(&hub.server("bad").unwrap(), |now| now.status == Status::Failed).await;
    assert!(now.error.unwrap().contains("cannot be started"));
}

#[tokio::test]
async fn one_that_refuses_its_tools_is_not_one_without_tools() {
    let text = "run(tools_list=lambda r: send({'jsonrpc': '2.0', 'id': r['id'], \
                'error': {'code': -1, 'message': 'out of order'}}))";
    fails(text, "out of order").await;
}

#[tokio::test]
async fn one_that_answers_the_handshake_with_nonsense() {
    fails("run(initialize=lambda r: reply(r, {'a': 1}))", "speaks wrongly").await;
}

#[tokio::test]
async fn one_that_never_answers() {
    let patience = Patience { start: Duration::from_millis(300), ..Patience::default() };
    let hub = Hub::new(Arc::new(Fake::default()), patience);
    hub.set(script("run(initialize=lambda r: None)"));
    let now = until(&hub.server("bad").unwrap(), |now| now.status == Status::Failed).await;
    assert!(now.error.unwrap().contains("did not answer"));
}

#[tokio::test]
async fn one_that_talks_nonsense_between_its_answers() {
    let text = r#"
def noisy(request):
    print("starting up ..."); print("[1, 2"); print('{"jsonrpc": "2.0", "id": 999, "result": {}}')
    print('{"jsonrpc": "1.0"}'); print("\x00\x01"); sys.stdout.flush()
    sys.stderr.write("warming up\n" * 100000); sys.stderr.flush()
    call(request); call(request)
run(tools_call=noisy)"#;
    let (_hub, bad) = beside_a_good_one(text).await;
    connected(&bad).await;
    for _ in 0..2 {
        let answer = bad.call_tool("t", Map::new(), |_| ()).await.unwrap();
        assert_eq!(answer.parts, [Part::Text("done".to_owned())]);
    }
    let log = bad.log();
    assert!(log.iter().any(|line| line.contains("starting up")), "{log:?}");
    assert!(log.iter().map(String::len).sum::<usize>() < 200_000, "the log is bounded");
}

#[tokio::test]
async fn one_that_ends_during_a_call_is_started_again() {
    let text = r#"
def die(request):
    sys.stderr.write("out of memory\n"); sys.stderr.flush(); sys.exit(1)
run(tools_call=die)"#;
    let (_hub, bad) = beside_a_good_one(text).await;
    connected(&bad).await;
    let why = bad.call_tool("t", Map::new(), |_| ()).await.unwrap_err();
    assert!(why.contains("closed"), "{why}");
    let log = || bad.log().iter().any(|line| line.contains("code 1") && line.contains("out of"));
    until(&bad, |now| now.status == Status::Connected && now.peer.is_some() && log()).await;
}

#[tokio::test]
async fn one_that_answers_with_a_giant_line() {
    let text = r#"
def flood(request):
    sys.stdout.write('{"jsonrpc": "2.0", "id": %d, "result": "' % request["id"])
    try:
        while True: sys.stdout.write("x" * 1000000); sys.stdout.flush()
    except BrokenPipeError: sys.exit(0)
run(tools_call=flood)"#;
    let (_hub, bad) = beside_a_good_one(text).await;
    connected(&bad).await;
    let why = bad.call_tool("t", Map::new(), |_| ()).await.unwrap_err();
    assert!(why.contains("closed"), "{why}");
    assert!(bad.log().iter().any(|line| line.contains("16 MB")), "{:?}", bad.log());
}

#[tokio::test]
async fn one_that_is_silent_in_a_call() {
    let patience = Patience { idle_process: Duration::from_millis(200), ..Patience::default() };
    let hub = Hub::new(Arc::new(Fake::default()), patience);
    hub.set(script("run(tools_call=lambda r: None)"));
    let bad = hub.server("bad").unwrap();
    connected(&bad).await;
    let why = bad.call_tool("t", Map::new(), |_| ()).await.unwrap_err();
    assert!(why.contains("no sign of life"), "{why}");
}

#[tokio::test]
async fn one_with_thousands_of_tools_and_pages_without_end() {
    let text = r#"
def many(request):
    at = int(request.get("params", {}).get("cursor") or 0)
    page = [{"name": "t%d" % n, "inputSchema": {}} for n in range(at, at + 100)]
    reply(request, {"tools": page, "nextCursor": str(at + 100)})
run(tools_list=many)"#;
    let (_hub, bad) = beside_a_good_one(text).await;
    let offer = connected(&bad).await;
    assert_eq!(offer.tools.len(), crate::catalogue::MOST_TOOLS);
    assert!(!offer.left_out.is_empty());
}
