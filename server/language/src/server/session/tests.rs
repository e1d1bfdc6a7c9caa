//! The conversation without a server: what is said, and when somebody is answered.

mod interleavings;

use std::path::Path;

use proptest::prelude::*;
use text::Text;
use tokio::sync::oneshot::{self, Receiver};

use super::*;
use crate::server::fake::{config, published};
use crate::server::frame::Frames;
use crate::{At, Finding, Query};

const URI: &str = "file:///w/a.py";

/// A session and a clock that moves when it is told to.
struct Talk {
    session: Session,
    now: Instant,
    frames: Frames,
}

type Findings = Receiver<Result<(Vec<Finding>, bool), Failure>>;
type Answer = Receiver<Result<Reply, Failure>>;

impl Talk {
    fn new(config: ServerConfig) -> Talk {
        let now = Instant::now();
        let session = Session::new(Arc::new(config), DocumentUri::new("file:///w"), now);
        Talk { session, now, frames: Frames::default() }
    }

    /// A server that offers this, past its start.
    fn ready(offered: Value) -> Talk {
        let mut talk = Talk::new(config("fake"));
        talk.start(offered);
        talk
    }

    fn start(&mut self, offered: Value) {
        let said = self.said();
        assert_eq!(said[0]["method"], "initialize");
        self.hear(json!({ "id": said[0]["id"], "result": { "capabilities": offered } }));
        assert_eq!(self.said()[0]["method"], "initialized");
    }

    /// What was said to the server since last asked.
    fn said(&mut self) -> Vec<Value> {
        let bytes = self.session.outgoing().to_vec();
        self.session.sent(bytes.len());
        self.frames.push(&bytes);
        let mut said = Vec::new();
        while let Some(body) = self.frames.next().unwrap() {
            said.push(serde_json::from_slice(&body).unwrap());
        }
        said
    }

    fn methods(&mut self) -> Vec<String> {
        let method = |message: Value| message["method"].as_str().unwrap_or("answer").to_owned();
        self.said().into_iter().map(method).collect()
    }

    fn hear(&mut self, message: Value) {
        self.session.hear(message, self.now);
    }

    fn pass(&mut self, time: Duration) {
        self.now += time;
        self.session.tick(self.now);
    }

    fn findings(&mut self, text: &str, wait: Duration) -> Findings {
        let (reply, answer) = oneshot::channel();
        let want = Want::Findings { path: "/w/a.py".into(), text: Text::from(text), reply };
        self.session.take(Job { until: self.now + wait, want }, self.now);
        answer
    }

    fn ask(&mut self, query: Query, text: &str) -> Answer {
        let (reply, answer) = oneshot::channel();
        let texts = vec![(query.path().to_owned(), Some(Text::from(text)))];
        let want = Want::Ask { step: Step::Query(query), texts, reply };
        self.session.take(Job { until: self.now + SECOND, want }, self.now);
        answer
    }
}

const SECOND: Duration = Duration::from_secs(1);
const MOMENT: Duration = Duration::from_millis(151);

fn pushes() -> Value {
    json!({ "textDocumentSync": { "openClose": true, "change": 2 }, "hoverProvider": true })
}

fn pulls() -> Value {
    json!({ "textDocumentSync": 2, "diagnosticProvider": { "identifier": "x" } })
}

/// Who got what: the text that the findings are about, and whether they are sure.
#[track_caller]
fn told(answer: &mut Findings) -> Option<(String, bool)> {
    let (findings, verified) = answer.try_recv().ok()?.unwrap();
    Some((findings.first().map_or(String::new(), |found| found.message.clone()), verified))
}

fn hover() -> Query {
    Query::Hover(At { path: "/w/a.py".into(), line: 1, column: 1 })
}

#[test]
fn a_server_is_told_what_it_gets() {
    let mut with_options = config("fake");
    with_options.initialization_options = json!({ "a": 1 });
    with_options.settings = json!({ "b": 2 });
    let mut talk = Talk::new(with_options);
    let said = talk.said();
    let params = &said[0]["params"];
    assert_eq!(params["rootUri"], "file:///w");
    assert_eq!(params["initializationOptions"], json!({ "a": 1 }));
    assert_eq!(params["processId"], std::process::id());
    let capabilities = &params["capabilities"];
    assert_eq!(capabilities["general"]["positionEncodings"], json!(["utf-8", "utf-16"]));
    let publish = &capabilities["textDocument"]["publishDiagnostics"];
    assert_eq!(publish["versionSupport"], true);
    talk.hear(json!({ "id": 1, "result": { "capabilities": {} } }));
    assert_eq!(talk.methods(), ["initialized", "workspace/didChangeConfiguration"]);
}

#[test]
fn only_the_newest_version_is_believed() {
    let mut talk = Talk::ready(pushes());
    let mut first = talk.findings("one", SECOND);
    let opened = talk.said();
    assert_eq!(opened[0]["method"], "textDocument/didOpen");
    assert_eq!(opened[0]["params"]["textDocument"]["languageId"], "python");
    let old = opened[0]["params"]["textDocument"]["version"].as_i64().unwrap();
    talk.hear(published(URI, Some(old), &Text::from("one")));
    assert_eq!(told(&mut first), Some(("one".into(), true)));

    let mut second = talk.findings("two", SECOND);
    let new = talk.said()[0]["params"]["textDocument"]["version"].as_i64().unwrap();
    assert!(new > old);
    // Late, and about the text before; about another file; about no text we ever had.
    talk.hear(published(URI, Some(old), &Text::from("late")));
    talk.hear(published("file:///w/b.py", Some(new), &Text::from("other")));
    talk.hear(published(URI, Some(new + 1), &Text::from("future")));
    talk.pass(SECOND / 2);
    assert_eq!(told(&mut second), None);
    // Time is up: what was known, and that it may be old.
    talk.pass(SECOND / 2);
    assert_eq!(told(&mut second), Some(("one".into(), false)));
    // What comes later is there for who asks next, at once.
    talk.hear(published(URI, Some(new), &Text::from("two")));
    assert_eq!(told(&mut talk.findings("two", SECOND)), Some(("two".into(), true)));
    assert!(talk.said().is_empty());
}

#[test]
fn who_waits_for_an_older_text_is_told_that_it_is_gone() {
    let mut talk = Talk::ready(pushes());
    let mut first = talk.findings("one", SECOND);
    let mut second = talk.findings("two", SECOND);
    assert_eq!(told(&mut first), Some((String::new(), false)));
    let said = talk.said();
    let version = said[1]["params"]["textDocument"]["version"].as_i64();
    talk.hear(published(URI, version, &Text::from("two")));
    assert_eq!(told(&mut second), Some(("two".into(), true)));
}

/// Without versions: findings after the change, an answer to a question after it, and quiet.
#[test]
fn a_server_without_versions_has_to_be_quiet_first() {
    let mut talk = Talk::ready(pushes());
    let mut waiting = talk.findings("two", SECOND * 10);
    talk.said();
    talk.hear(published(URI, None, &Text::from("one")));
    talk.pass(MOMENT);
    assert_eq!(told(&mut waiting), None, "it may not even have read the change");
    let question = talk.said();
    assert_eq!(question[0]["method"], "textDocument/hover");
    talk.hear(published(URI, None, &Text::from("two")));
    talk.hear(json!({ "id": question[0]["id"], "result": null }));
    talk.pass(MOMENT / 2);
    assert_eq!(told(&mut waiting), None, "it may send more");
    talk.hear(published(URI, None, &Text::from("two, and more")));
    talk.pass(MOMENT / 2);
    assert_eq!(told(&mut waiting), None, "it has just sent more");
    talk.pass(MOMENT / 2);
    assert_eq!(told(&mut waiting), Some(("two, and more".into(), true)));
    assert!(talk.said().is_empty(), "asked once for each text");
    // One that can be asked nothing has only the quiet.
    let mut talk = Talk::ready(json!({ "textDocumentSync": 1 }));
    let mut waiting = talk.findings("two", SECOND * 10);
    talk.hear(published(URI, None, &Text::from("two")));
    assert_eq!(told(&mut waiting), None);
    talk.pass(MOMENT);
    assert_eq!(told(&mut waiting), Some(("two".into(), true)));
}

#[test]
fn a_server_that_is_asked_answers_about_what_it_was_sent() {
    let mut talk = Talk::ready(pulls());
    let full = |id: &Value, text: &str, name: Option<&str>| {
        let items = crate::server::fake::about(&Text::from(text));
        json!({ "id": id, "result": { "kind": "full", "items": items, "resultId": name } })
    };
    let mut waiting = talk.findings("one", SECOND);
    let said = talk.said();
    assert_eq!(said[1]["method"], "textDocument/diagnostic");
    assert_eq!(said[1]["params"]["identifier"], "x");
    assert_eq!(said[1]["params"].get("previousResultId"), None);
    // Published besides, it does not count.
    talk.hear(published(URI, Some(1), &Text::from("zero")));
    assert_eq!(told(&mut waiting), None);
    talk.hear(full(&said[1]["id"], "one", Some("r1")));
    assert_eq!(told(&mut waiting), Some(("one".into(), true)));

    // The same text is asked about again, for other files may have changed.
    let mut waiting = talk.findings("one", SECOND);
    let said = talk.said();
    assert_eq!(said[0]["params"]["previousResultId"], "r1");
    talk.hear(json!({ "id": said[0]["id"], "result": { "kind": "unchanged", "resultId": "r1" } }));
    assert_eq!(told(&mut waiting), Some(("one".into(), true)));

    // An answer to an older question is about an older text.
    let mut first = talk.findings("two", SECOND);
    let mut second = talk.findings("three", SECOND);
    let said = talk.said();
    assert_eq!(told(&mut first), Some(("one".into(), false)));
    talk.hear(full(&said[1]["id"], "two", None));
    assert_eq!(told(&mut second), None);
    talk.hear(full(&said[3]["id"], "three", None));
    assert_eq!(told(&mut second), Some(("three".into(), true)));
}

#[test]
fn reports_that_do_not_come() {
    let mut talk = Talk::ready(pulls());
    let mut waiting = talk.findings("one", SECOND * 9);
    let id = talk.said()[1]["id"].clone();
    // Busy: asked again after a pause.
    talk.hear(json!({ "id": id, "error": { "code": -32802, "message": "busy" } }));
    assert_eq!(told(&mut waiting), None);
    talk.pass(PAUSE);
    let said = talk.said();
    assert_eq!(said[0]["method"], "textDocument/diagnostic");
    // A refresh says that what was asked before does not count.
    talk.hear(json!({ "id": "r", "method": "workspace/diagnostic/refresh" }));
    talk.hear(json!({ "id": said[0]["id"], "result": { "kind": "full", "items": [] } }));
    assert_eq!(told(&mut waiting), None);
    let said = talk.said();
    assert_eq!((&said[0]["id"], &said[0]["result"]), (&json!("r"), &Value::Null));
    // Refused, or not to be understood: nobody waits any longer.
    talk.hear(json!({ "id": said[1]["id"], "error": { "code": -32603, "message": "no" } }));
    assert_eq!(told(&mut waiting), Some((String::new(), false)));
    let mut waiting = talk.findings("one", SECOND);
    let id = talk.said()[0]["id"].clone();
    talk.hear(json!({ "id": id, "result": { "kind": "unchanged", "resultId": "never heard of" } }));
    assert_eq!(told(&mut waiting), Some((String::new(), false)));
    let mut waiting = talk.findings("one", SECOND);
    let id = talk.said()[0]["id"].clone();
    talk.hear(json!({ "id": id, "result": { "items": "nonsense" } }));
    assert_eq!(told(&mut waiting), Some((String::new(), false)));
}

fn progress(token: u32, kind: &str) -> Value {
    json!({ "method": "$/progress", "params": { "token": token, "value": { "kind": kind } } })
}

/// "Nothing is wrong" of a server that is still loading means nothing.
#[test]
fn a_server_that_is_still_loading_is_not_believed() {
    let mut talk = Talk::ready(pushes());
    talk.hear(progress(1, "begin"));
    talk.hear(progress(2, "begin"));
    let mut waiting = talk.findings("one", SECOND * 10);
    let version = talk.said()[0]["params"]["textDocument"]["version"].as_i64();
    talk.hear(published(URI, version, &Text::from("too early")));
    talk.hear(progress(1, "end"));
    talk.pass(MOMENT);
    assert_eq!(told(&mut waiting), None);
    talk.hear(progress(2, "report"));
    talk.hear(progress(2, "end"));
    assert_eq!(told(&mut waiting), None, "it still has to send what it found");
    assert_eq!(talk.session.wake(), Some(talk.now + Duration::from_millis(150)));
    talk.hear(published(URI, version, &Text::from("one")));
    talk.pass(MOMENT);
    assert_eq!(told(&mut waiting), Some(("one".into(), true)));
    // One that never ends is not waited for longer than asked.
    talk.hear(progress(3, "begin"));
    let mut waiting = talk.findings("one", SECOND);
    talk.pass(SECOND);
    assert_eq!(told(&mut waiting), Some(("one".into(), false)));
    // Who says it outright is believed, whatever else it is busy with.
    let status = |quiescent: bool| json!({ "method": "experimental/serverStatus", "params": { "quiescent": quiescent } });
    talk.hear(status(true));
    talk.pass(MOMENT);
    assert_eq!(told(&mut talk.findings("one", SECOND)), Some(("one".into(), true)));
    talk.hear(status(false));
    assert_eq!(told(&mut talk.findings("one", SECOND)), None);
}

#[test]
fn a_server_that_has_loaded_is_asked_again() {
    let mut talk = Talk::ready(pulls());
    talk.hear(progress(1, "begin"));
    let mut waiting = talk.findings("one", SECOND * 10);
    let id = talk.said()[1]["id"].clone();
    talk.hear(json!({ "id": id, "result": { "kind": "full", "items": [] } }));
    assert_eq!(told(&mut waiting), None);
    talk.hear(progress(1, "end"));
    let said = talk.said();
    assert_eq!(said[0]["method"], "textDocument/diagnostic");
    let items = crate::server::fake::about(&Text::from("one"));
    talk.hear(json!({ "id": said[0]["id"], "result": { "kind": "full", "items": items } }));
    talk.pass(MOMENT);
    assert_eq!(told(&mut waiting), Some(("one".into(), true)));
}

#[test]
fn a_question_is_asked_and_answered() {
    let mut talk = Talk::ready(pushes());
    let mut answer = talk.ask(hover(), "text");
    let said = talk.said();
    assert_eq!(said[0]["method"], "textDocument/didOpen");
    assert_eq!(said[1]["method"], "textDocument/hover");
    talk.hear(json!({ "id": said[1]["id"], "result": { "contents": "x" } }));
    let reply = answer.try_recv().unwrap().unwrap();
    assert_eq!(reply.value, json!({ "contents": "x" }));
    assert_eq!(reply.texts[Path::new("/w/a.py")], Text::from("text"));
    // What it does not offer is not asked.
    let mut answer = talk.ask(Query::Symbols { path: "/w/a.py".into() }, "text");
    assert_eq!(answer.try_recv().unwrap().unwrap_err(), Failure::Cannot);
    // A place that is not there is not asked about either.
    let beyond = Query::Hover(At { path: "/w/a.py".into(), line: 9, column: 1 });
    let error = talk.ask(beyond, "text").try_recv().unwrap().unwrap_err();
    let expect = "/w/a.py has 1 lines, so there is no line 9.";
    assert_eq!(error, Failure::Sentence(expect.into()));
    assert!(talk.said().is_empty());
    // A file that is gone is closed.
    let (reply, _answer) = oneshot::channel();
    let want =
        Want::Ask { step: Step::Query(hover()), texts: vec![("/w/a.py".into(), None)], reply };
    talk.session.take(Job { until: talk.now, want }, talk.now);
    assert_eq!(talk.methods()[0], "textDocument/didClose");
}

#[test]
fn answers_that_are_none() {
    let mut talk = Talk::ready(pushes());
    let fail = |talk: &mut Talk, code: i64| {
        let id = talk.said().pop().unwrap()["id"].clone();
        talk.hear(json!({ "id": id, "error": { "code": code, "message": "No reason." } }));
    };
    let refused = Failure::Sentence("The language server `fake` refuses: No reason.".into());
    let mut answer = talk.ask(hover(), "text");
    fail(&mut talk, -32603);
    assert_eq!(answer.try_recv().unwrap().unwrap_err(), refused);
    // Busy is asked again, but not for ever.
    let mut answer = talk.ask(hover(), "text");
    for _ in 0..TRIES {
        fail(&mut talk, -32801);
        assert!(answer.try_recv().is_err());
        talk.now += PAUSE / 10;
        talk.session.tick(talk.now + PAUSE);
    }
    fail(&mut talk, -32801);
    assert_eq!(answer.try_recv().unwrap().unwrap_err(), refused);
    // Too slow: the server is told, and so is who asked.
    let mut answer = talk.ask(hover(), "text");
    let id = talk.said()[0]["id"].clone();
    talk.pass(SECOND);
    let slow = "The language server `fake` did not answer in time; ask again later.";
    assert_eq!(answer.try_recv().unwrap().unwrap_err(), Failure::Sentence(slow.into()));
    let said = talk.said();
    assert_eq!(said[0]["method"], "$/cancelRequest");
    assert_eq!(said[0]["params"]["id"], id);
    talk.hear(json!({ "id": id, "result": null }));
    // Nobody waits any more.
    drop(talk.ask(hover(), "text"));
    talk.said();
    talk.pass(Duration::ZERO);
    assert_eq!(talk.methods(), ["$/cancelRequest"]);
}

#[test]
fn a_server_that_does_not_start() {
    let mut talk = Talk::new(config("fake"));
    let mut early = talk.findings("one", SECOND);
    let mut late = talk.ask(hover(), "one");
    talk.hear(
        json!({ "id": "c", "method": "workspace/configuration", "params": { "items": [{}] } }),
    );
    assert_eq!(talk.said()[1]["result"], json!([null]), "it may ask before it is ready");
    assert_eq!(talk.session.wake(), Some(talk.now + SECOND));
    talk.pass(SECOND);
    assert!(matches!(early.try_recv().unwrap(), Err(Failure::Sentence(_))));
    assert!(late.try_recv().unwrap().is_err());
    assert_eq!(talk.session.broken(), None);
    talk.pass(SECOND * 59);
    assert_eq!(talk.session.broken(), Some("did not answer within 60 s of its start"));

    let check = |answer: Value, expect: &str| {
        let mut talk = Talk::new(config("fake"));
        let mut waiting = talk.ask(hover(), "one");
        let mut answer = answer;
        answer["id"] = json!(1);
        talk.hear(answer);
        assert_eq!(talk.session.broken(), Some(expect));
        talk.session.refuse_all(&Failure::Crashed("x".into()));
        assert_eq!(waiting.try_recv().unwrap().unwrap_err(), Failure::Crashed("x".into()));
    };
    check(json!({ "error": { "message": "No licence." } }), "refuses to start (No licence)");
    check(json!({ "result": null }), "does not say what it can do");
    let odd = json!({ "result": { "capabilities": { "positionEncoding": "ebcdic" } } });
    check(odd, "counts columns in `ebcdic`");
}

#[test]
fn leaving_is_polite() {
    let mut talk = Talk::ready(pushes());
    talk.session.leave();
    let said = talk.said();
    assert_eq!((&said[0]["method"], said[0].get("params")), (&json!("shutdown"), None));
    assert!(!talk.session.may_exit());
    talk.hear(json!({ "id": said[0]["id"], "result": null }));
    assert!(talk.session.may_exit());
    talk.session.exit();
    assert_eq!(talk.methods(), ["exit"]);
    assert!(talk.findings("late", SECOND).try_recv().unwrap().is_err());
}

proptest! {
    /// Whatever a server says, in whatever order: nobody panics, and everybody who waits is
    /// answered in the end.
    #[test]
    fn no_message_can_hurt(messages in prop::collection::vec(any_message(), 0..30), pull: bool) {
        let mut talk = Talk::ready(if pull { pulls() } else { pushes() });
        let mut waiting = talk.findings("one", SECOND);
        let mut answer = talk.ask(hover(), "one");
        for message in messages {
            talk.hear(message);
            talk.pass(Duration::from_millis(10));
        }
        talk.pass(SECOND);
        prop_assert!(waiting.try_recv().is_ok());
        // Offered or not, refused or slow: it has an end.
        prop_assert!(answer.try_recv().is_ok());
    }
}

fn any_message() -> impl Strategy<Value = Value> {
    let id = prop_oneof![Just(json!(null)), (0..6_i64).prop_map(Value::from), Just(json!("x"))];
    let value = prop_oneof![
        Just(Value::Null),
        Just(json!([])),
        Just(json!({ "uri": URI, "version": 1, "diagnostics": [{}] })),
        Just(json!({ "uri": URI, "version": -1, "diagnostics": [] })),
        Just(json!({ "uri": URI, "version": "one", "diagnostics": [] })),
        Just(json!({ "uri": URI, "diagnostics": 7 })),
        Just(json!({ "uri": 7 })),
        Just(json!({ "kind": "full" })),
        Just(json!({ "capabilities": {} })),
        Just(json!({ "code": -32801 })),
        any::<i32>().prop_map(Value::from),
    ];
    let method = prop::sample::select(vec![
        "textDocument/publishDiagnostics",
        "workspace/configuration",
        "workspace/diagnostic/refresh",
        "window/logMessage",
        "$/progress",
        "initialize",
    ]);
    prop_oneof![
        (id.clone(), value.clone()).prop_map(|(id, result)| json!({ "id": id, "result": result })),
        (id.clone(), value.clone()).prop_map(|(id, error)| json!({ "id": id, "error": error })),
        (method.clone(), value.clone())
            .prop_map(|(method, params)| json!({ "method": method, "params": params })),
        (id, method, value.clone()).prop_map(
            |(id, method, params)| json!({ "id": id, "method": method, "params": params })
        ),
        value,
    ]
}
