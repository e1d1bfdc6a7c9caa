//! All servers of a folder: who is asked, and with which texts.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::*;
use crate::server::fake::{Act, Behave, Told, about, config, launch, published, result};
use crate::{At, FileEdit, Place};

const WAIT: Duration = Duration::from_secs(60);

#[derive(Default)]
struct Texts {
    saved: HashMap<PathBuf, Text>,
    unsaved: HashMap<PathBuf, Text>,
}

impl Files for Texts {
    fn text(&self, path: &Path) -> Option<Text> {
        self.unsaved.get(path).or_else(|| self.saved.get(path)).cloned()
    }

    fn unsaved(&self) -> Vec<(PathBuf, Text)> {
        self.unsaved.iter().map(|(path, text)| (path.clone(), text.clone())).collect()
    }
}

fn texts(saved: &[(&str, &str)], unsaved: &[(&str, &str)]) -> Arc<dyn Files> {
    let map = |texts: &[(&str, &str)]| {
        texts.iter().map(|(path, text)| (PathBuf::from(path), Text::from(*text))).collect()
    };
    Arc::new(Texts { saved: map(saved), unsaved: map(unsaved) })
}

/// Says what every document it was told about says when it is asked for a hover.
struct Parrot {
    offered: Value,
    told: Told,
    publishes: bool,
}

impl Behave for Parrot {
    fn hear(&mut self, message: &Value) -> Vec<Act> {
        if let Some(uri) = self.told.hear(message, text::PositionEncoding::Utf8) {
            let (version, text) = &self.told.documents[&uri];
            let published = Act::Say(published(&uri, Some(*version), text));
            return if self.publishes { vec![published] } else { Vec::new() };
        }
        let start = json!({ "line": 0, "character": 0 });
        let end = json!({ "line": 0, "character": 3 });
        let range = json!({ "start": start, "end": end });
        match message["method"].as_str() {
            Some("initialize") => vec![result(message, json!({ "capabilities": self.offered }))],
            Some("textDocument/hover") => {
                let mut said: Vec<_> = self.told.documents.iter().collect();
                said.sort_by_key(|(uri, _)| (*uri).clone());
                said.retain(|_| self.publishes);
                let said = said.into_iter().map(|(uri, (_, text))| format!("{uri}: {text}"));
                vec![result(message, json!({ "contents": said.collect::<Vec<_>>() }))]
            }
            Some("textDocument/prepareRename") => {
                let refused = message["params"]["position"]["line"] == 1;
                vec![result(message, if refused { Value::Null } else { range })]
            }
            Some("textDocument/rename") => {
                let edit = json!({ "range": range, "newText": message["params"]["newName"] });
                let changes =
                    json!({ message["params"]["textDocument"]["uri"].as_str().unwrap(): [edit] });
                vec![result(message, json!({ "changes": changes }))]
            }
            Some("textDocument/diagnostic") => {
                let uri = message["params"]["textDocument"]["uri"].as_str().unwrap();
                let items = about(&self.told.documents[uri].1);
                vec![result(message, json!({ "kind": "full", "items": items }))]
            }
            Some("exit") => vec![Act::Close],
            Some(_) if message.get("id").is_some() => vec![result(message, Value::Null)],
            _ => Vec::new(),
        }
    }
}

fn everything() -> Value {
    json!({
        "positionEncoding": "utf-8", "textDocumentSync": 2, "hoverProvider": true,
        "renameProvider": { "prepareProvider": true },
    })
}

fn only_findings() -> Value {
    json!({ "positionEncoding": "utf-8", "textDocumentSync": 1, "diagnosticProvider": {} })
}

/// A name, what it offers, and whether it publishes.
type Member = (&'static str, fn() -> Value, bool);

fn servers(each: &'static [Member]) -> Servers {
    let configs = each.iter().map(|(name, ..)| config(name)).collect();
    let start = |config: &Arc<ServerConfig>| {
        let (_, offered, publishes) = *each.iter().find(|(name, ..)| *name == config.name).unwrap();
        launch(move |_| Parrot { offered: offered(), told: Told::default(), publishes })
    };
    Servers::with(Path::new("/w"), configs, &start, Limits::default())
}

fn at(line: u32, column: u32) -> At {
    At { path: "/w/a.py".into(), line, column }
}

#[tokio::test]
async fn a_question_goes_to_the_first_who_can_answer() {
    let servers = servers(&[("linter", only_findings, false), ("types", everything, true)]);
    assert!(servers.serves(Path::new("/w/a.py")));
    assert!(!servers.serves(Path::new("/w/a.rs")));
    let files = texts(&[("/w/a.py", "one")], &[]);
    let answer = servers.ask(&Query::Hover(at(1, 1)), Arc::clone(&files)).await;
    assert_eq!(answer, Ok(Answer::Hover("file:///w/a.py: one".into())));
    let answer = servers.ask(&Query::References(at(1, 1)), Arc::clone(&files)).await;
    let expect = "The language server `linter` or `types` cannot tell that; search instead.";
    assert_eq!(answer, Err(expect.into()));
    let other = Query::Symbols { path: "/w/a.rs".into() };
    let expect = "No language server is configured for /w/a.rs; search instead.";
    assert_eq!(servers.ask(&other, Arc::clone(&files)).await, Err(expect.into()));
    let gone = Query::Hover(At { path: "/w/gone.py".into(), line: 1, column: 1 });
    let expect = "/w/gone.py cannot be read as text; check the path.";
    assert_eq!(servers.ask(&gone, files).await, Err(expect.into()));
    servers.shutdown().await;
    let expect = "The language servers have been ended.";
    let answer = servers.ask(&Query::Hover(at(1, 1)), texts(&[("/w/a.py", "")], &[])).await;
    assert_eq!(answer, Err(expect.into()));
}

/// Offers hovers and has none.
fn mute() -> Value {
    json!({ "textDocumentSync": 1, "hoverProvider": true, "documentSymbolProvider": true })
}

/// Linters offer more than they know.
#[tokio::test]
async fn who_knows_nothing_is_not_the_last_to_be_asked() {
    let files = texts(&[("/w/a.py", "one")], &[]);
    let servers = servers(&[("mute", mute, false), ("types", everything, true)]);
    let hover = servers.ask(&Query::Hover(at(1, 1)), Arc::clone(&files)).await;
    assert_eq!(hover, Ok(Answer::Hover("file:///w/a.py: one".into())));
    let symbols = servers.ask(&Query::Symbols { path: "/w/a.py".into() }, files).await;
    assert_eq!(symbols, Ok(Answer::Symbols(Vec::new())));
}

/// The buffer is the truth, for servers too.
#[tokio::test]
async fn a_server_sees_what_is_not_saved() {
    let servers = servers(&[("types", everything, true)]);
    let ask = async |files: Arc<dyn Files>| match servers.ask(&Query::Hover(at(1, 1)), files).await
    {
        Ok(Answer::Hover(text)) => text.replace("file:///w/", "").replace("\n\n", ", "),
        other => panic!("{other:?}"),
    };
    let saved: &[_] = &[("/w/a.py", "a1"), ("/w/b.py", "b1"), ("/w/c.rs", "c1")];
    assert_eq!(ask(texts(saved, &[])).await, "a.py: a1");
    assert_eq!(
        ask(texts(saved, &[("/w/b.py", "b2"), ("/w/c.rs", "c2")])).await,
        "a.py: a1, b.py: b2"
    );
    // Saved meanwhile, and changed: what is open is brought up to date.
    let saved: &[_] = &[("/w/a.py", "a3"), ("/w/b.py", "b3")];
    assert_eq!(ask(texts(saved, &[])).await, "a.py: a3, b.py: b3");
    // Deleted: it is closed.
    assert_eq!(ask(texts(&saved[..1], &[])).await, "a.py: a3");
}

#[tokio::test]
async fn a_rename_is_prepared() {
    let servers = servers(&[("types", everything, true)]);
    let files = texts(&[("/w/a.py", "é b\nc")], &[]);
    let rename = |at: At| Query::Rename { at, to: "new".into() };
    let place = Place { path: "/w/a.py".into(), start: (1, 1), end: (1, 3) };
    let edit = FileEdit { path: "/w/a.py".into(), edits: vec![(place, "new".into())] };
    let answer = servers.ask(&rename(at(1, 1)), Arc::clone(&files)).await;
    assert_eq!(answer, Ok(Answer::Edits(vec![edit])));
    let refused = servers.ask(&rename(at(2, 1)), files).await.unwrap_err();
    assert!(refused.contains("nothing to rename"), "{refused}");
}

#[tokio::test]
async fn findings_of_all_servers_add_up() {
    let servers = servers(&[("linter", only_findings, false), ("types", everything, true)]);
    for text in ["one", "two"] {
        let (findings, verified) =
            servers.diagnostics(Path::new("/w/a.py"), &Text::from(text), WAIT).await;
        let messages: Vec<_> = findings.iter().map(|found| found.message.as_str()).collect();
        assert_eq!((messages, verified), (vec![text, text], true));
    }
    let files = texts(&[("/w/a.py", "three")], &[]);
    let answer = servers.ask(&Query::Diagnostics { path: "/w/a.py".into() }, files).await;
    let Ok(Answer::Diagnostics { findings, verified: true }) = answer else { panic!("{answer:?}") };
    assert_eq!(findings.len(), 2);
    let nothing = servers.diagnostics(Path::new("/w/a.rs"), &Text::default(), WAIT).await;
    assert_eq!(nothing, (Vec::new(), false));
}

#[tokio::test]
async fn one_silent_server_makes_it_unsure() {
    let servers = servers(&[("linter", only_findings, false), ("silent", everything, false)]);
    let wait = Duration::from_secs(2);
    let found = servers.diagnostics(Path::new("/w/a.py"), &Text::from("one"), wait).await;
    let (findings, verified) = found;
    assert!(!verified);
    assert_eq!(findings.len(), 1);
}

#[tokio::test]
async fn findings_nobody_wants_are_not_asked_for() {
    let mut quiet = config("quiet");
    quiet.diagnostics = false;
    let start = |_: &Arc<ServerConfig>| -> Launch { Arc::new(|| panic!("it was started")) };
    let servers = Servers::with(Path::new("/w"), vec![quiet], &start, Limits::default());
    let found = servers.diagnostics(Path::new("/w/a.py"), &Text::default(), WAIT).await;
    assert_eq!(found, (Vec::new(), false));
}

fn real(script: &str) -> Servers {
    let mut config = config("real");
    (config.command, config.args) = ("sh".into(), vec!["-c".into(), script.into()]);
    config.env.insert("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into());
    let limits = Limits { pause: Duration::from_millis(1), ..Limits::default() };
    let start = |config: &Arc<ServerConfig>| -> Launch {
        let config = Arc::clone(config);
        let env = [("PATH".into(), "/nowhere".into())];
        let open: WallsFor = Arc::new(|| Ok(Walls::Open));
        Arc::new(move || start(&config, Path::new("/"), &env, &open))
    };
    Servers::with(Path::new("/"), vec![config], &start, limits)
}

/// A real process, with its last words.
#[tokio::test]
async fn why_a_process_ended_is_told() {
    let servers = real("echo 'no module named x' >&2; exit 3");
    let files = texts(&[("/w/a.py", "one")], &[]);
    let query = Query::Hover(at(1, 1));
    let ask = || servers.ask(&query, Arc::clone(&files));
    let error = ask().await.unwrap_err();
    assert!(error.contains("`real`") && error.ends_with("and said: no module named x."), "{error}");
    ask().await.unwrap_err();
    let error = ask().await.unwrap_err();
    let expect = "The language server `real` failed 4 times and is not started again; it ended \
                  with code 3 and said: no module named x. See whether `sh` works in a terminal, \
                  then start Bowline anew.";
    assert_eq!(error, expect);
}

/// No way out leaves a process behind.
#[tokio::test]
async fn a_process_ends_with_the_handle() {
    let servers = real("while read line; do :; done; sleep 1000");
    let path = Path::new("/w/a.py");
    let wait = Duration::from_millis(50);
    assert_eq!(servers.diagnostics(path, &Text::default(), wait).await, (Vec::new(), false));
    let alive = || exec::alive().iter().any(|(_, what)| what == "sh");
    assert!(alive());
    let clone = servers.clone();
    drop(servers);
    assert!(alive());
    drop(clone);
    while alive() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[test]
fn the_longest_ending_counts() {
    let mut config = config("x");
    config.extensions.insert(".d.py".into(), "stub".into());
    let check = |path: &str, expect: Option<&str>| {
        assert_eq!(config.language(Path::new(path)), expect, "{path}");
    };
    check("/w/a.py", Some("python"));
    check("/w/a.d.py", Some("stub"));
    check("/w/a.PY", None);
    check("/w/py", None);
    check("/", None);
    assert_eq!(format!("{config:?}"), "x (fake)");
}
