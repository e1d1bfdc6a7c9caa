//! A server's life: started, crashed, started again, given up, ended.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;
use text::Text;
use tokio::sync::oneshot;

use super::*;
use crate::server::fake::{Act, Told, config, launch, published, result};
use crate::server::{Reply, Step, Want};
use crate::{At, Finding, Query};

/// Nobody waits in these tests but for what has to happen.
fn limits() -> Limits {
    Limits { pause: Duration::from_millis(1), ..Limits::default() }
}

struct Kept {
    handle: Handle,
    stop: CancellationToken,
}

fn keep(config: ServerConfig, launch: Launch) -> Kept {
    let stop = CancellationToken::new();
    let root = DocumentUri::new("file:///w");
    let handle = Keeper::start(Arc::new(config), root, launch, limits(), stop.clone());
    Kept { handle, stop }
}

const LONG: Duration = Duration::from_secs(60);

impl Kept {
    async fn findings(&self, text: &str) -> Result<(Vec<Finding>, bool), Failure> {
        let (reply, answer) = oneshot::channel();
        let want = Want::Findings { path: "/w/a.py".into(), text: Text::from(text), reply };
        let job = Job { until: Instant::now() + LONG, want };
        assert!(self.handle.jobs.send(job).await.is_ok());
        answer.await.unwrap()
    }

    async fn hover(&self) -> Result<Reply, Failure> {
        let (reply, answer) = oneshot::channel();
        let path = PathBuf::from("/w/a.py");
        let texts = vec![(path.clone(), Some(Text::from("text")))];
        let step = Step::Query(Query::Hover(At { path, line: 1, column: 1 }));
        let job = Job { until: Instant::now() + LONG, want: Want::Ask { step, texts, reply } };
        assert!(self.handle.jobs.send(job).await.is_ok());
        answer.await.unwrap()
    }

    async fn end(self) {
        self.stop.cancel();
        self.handle.task.await.unwrap();
    }
}

fn crashed(error: Result<Reply, Failure>) -> String {
    match error {
        Err(Failure::Crashed(sentence)) => sentence,
        other => panic!("{other:?}"),
    }
}

fn started(message: &Value) -> Act {
    let offered = json!({ "textDocumentSync": 2, "hoverProvider": true });
    result(message, json!({ "capabilities": offered }))
}

/// Answers everything and publishes what it is told.
fn good() -> impl FnMut(&Value) -> Vec<Act> + Send {
    let mut told = Told::default();
    move |message: &Value| {
        if let Some(uri) = told.hear(message, text::PositionEncoding::Utf16) {
            let (version, text) = &told.documents[&uri];
            return vec![Act::Say(published(&uri, Some(*version), text))];
        }
        match message["method"].as_str() {
            Some("initialize") => vec![started(message)],
            Some("exit") => vec![Act::Close],
            Some(_) if message.get("id").is_some() => vec![result(message, Value::Null)],
            _ => Vec::new(),
        }
    }
}

#[tokio::test]
async fn a_server_lives_until_it_is_not_needed() {
    let goodbyes = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&goodbyes);
    let kept = keep(
        config("good"),
        launch(move |_| {
            let (mut good, heard) = (good(), Arc::clone(&heard));
            move |message: &Value| {
                heard.lock().unwrap().push(message["method"].as_str().unwrap_or("").to_owned());
                good(message)
            }
        }),
    );
    for text in ["one", "two", "three"] {
        let (findings, verified) = kept.findings(text).await.unwrap();
        assert_eq!((findings[0].message.as_str(), verified), (text, true));
    }
    assert!(kept.hover().await.unwrap().value.is_null());
    assert_eq!(kept.handle.open_paths(), BTreeSet::from(["/w/a.py".into()]));
    kept.end().await;
    let heard = goodbyes.lock().unwrap().clone();
    assert_eq!(heard[..2], ["initialize", "initialized"]);
    assert_eq!(heard[heard.len() - 2..], ["shutdown", "exit"]);
}

#[tokio::test]
async fn a_crash_is_told_and_the_server_is_started_again() {
    let kept = keep(
        config("frail"),
        launch(|start| {
            let mut good = good();
            move |message: &Value| {
                let crash = start < 2 && message["method"] == "textDocument/hover";
                if crash { vec![Act::Close] } else { good(message) }
            }
        }),
    );
    assert_eq!(kept.findings("one").await.unwrap().0[0].message, "one");
    let sentence = "The language server `frail` closed its output.";
    assert_eq!(crashed(kept.hover().await), sentence);
    // It knows nothing of before, so it is told everything again.
    assert_eq!(kept.findings("one").await.unwrap().0[0].message, "one");
    assert_eq!(crashed(kept.hover().await), sentence);
    assert!(kept.hover().await.is_ok());
    kept.end().await;
}

#[tokio::test]
async fn a_server_that_keeps_crashing_is_given_up() {
    let starts = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&starts);
    let kept = keep(
        config("broken"),
        launch(move |_| {
            counted.fetch_add(1, Ordering::SeqCst);
            |_: &Value| vec![Act::Close]
        }),
    );
    for _ in 0..4 {
        crashed(kept.hover().await);
    }
    for _ in 0..3 {
        let error = kept.hover().await.unwrap_err();
        let expect = "The language server `broken` failed 4 times and is not started again; it \
                      closed its output. See whether `fake` works in a terminal, then start \
                      Bowline anew.";
        assert_eq!(error, Failure::Sentence(expect.into()));
    }
    assert_eq!(starts.load(Ordering::SeqCst), 4);
    kept.end().await;
}

#[tokio::test]
async fn garbage_is_survived() {
    // What is no message but has the form of one is passed over.
    let noise: &'static [u8] =
        b"Content-Length: 3\r\n\r\n}{]Content-Length: 2\r\n\r\n[]starting ...\n\n";
    let kept = keep(
        config("noisy"),
        launch(move |_| {
            let mut good = good();
            move |message: &Value| {
                let mut acts = vec![Act::Bytes(noise.to_vec())];
                acts.extend(good(message));
                acts
            }
        }),
    );
    assert_eq!(kept.findings("one").await.unwrap().0[0].message, "one");
    kept.end().await;
    // What cannot be followed ends the conversation.
    for (bytes, expect) in [
        (b"Content-Length: lots\r\n\r\n".to_vec(), "announces a message of `lots` bytes"),
        (vec![b'x'; 100_000], "writes something else than messages to its output"),
    ] {
        let kept = keep(
            config("mad"),
            launch(move |_| {
                let bytes = bytes.clone();
                move |_: &Value| vec![Act::Bytes(bytes.clone())]
            }),
        );
        let sentence = crashed(kept.hover().await);
        assert_eq!(sentence, format!("The language server `mad` {expect}."));
        kept.end().await;
    }
}

#[tokio::test]
async fn a_server_that_never_answers_does_not_hold_us() {
    let mut slow = config("slow");
    slow.startup_timeout = Duration::from_millis(5);
    let kept = keep(slow, launch(|_| |_: &Value| Vec::new()));
    let sentence = "The language server `slow` did not answer within 0.005 s of its start.";
    assert_eq!(crashed(kept.hover().await), sentence);
    kept.end().await;
    // Nor one that cannot be started at all, however often.
    let kept = keep(config("absent"), Arc::new(|| Err("it is not there".into())));
    for _ in 0..9 {
        let error = kept.hover().await.unwrap_err();
        let expect = "The language server `absent` does not start: it is not there.";
        assert_eq!(error, Failure::Sentence(expect.into()));
    }
    kept.end().await;
}

#[tokio::test]
async fn a_large_text_goes_through_a_small_pipe() {
    let kept = keep(config("good"), launch(|_| good()));
    let text = "é\n".repeat(300_000);
    let (findings, verified) = kept.findings(&text).await.unwrap();
    assert!(verified);
    assert!(text.starts_with(&findings[0].message));
    kept.end().await;
}
