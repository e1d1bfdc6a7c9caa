//! Thousands of operations of a user who types before, inside and after the agent's text while an
//! editor batches, coalesces and delays what it tells: once everything that the agent did is taken
//! back, exactly what the file and the user had is there, and every hunk is where it says it is.
//!
//! `FUZZ_OPERATIONS` sets how many operations there are in all (`tests/run --nightly`: a million).

#![expect(
    clippy::disallowed_methods,
    reason = "how many operations, and which seed, is for whoever starts the test to say"
)]

use kit::{Asked, Author, Client, Encoding, Profile, Project, Server, model, session_in};
use model::Scenario;
use protocol::review::{Hunk, HunkState, ReviewList, ReviewListParams};
use protocol::session::Mode;
use protocol::tool::ToolStatus;
use serde_json::{Value, json};

const OPERATIONS: usize = 20_000;
const TESTS: usize = 5;
const EDITS: usize = 24;
const PER_ANSWER: usize = 8;
const APPLY: &str = "agent/editor/apply";

fn mark(number: usize) -> String {
    format!("[{number}]")
}

/// Different for each edit; every third has several lines.
fn written(number: usize) -> String {
    let letter = |at: usize| char::from_u32(0x391 + (at % 16) as u32).unwrap();
    let word: String = (0..4 + number % 5).map(|at| letter(number * 3 + at)).collect();
    if number.is_multiple_of(3) { format!("{word}\n {word}") } else { format!("{word} {word}") }
}

fn text(seed: u64) -> String {
    let end = if seed.is_multiple_of(4) { "\r\n" } else { "\n" };
    (0..EDITS).map(|number| format!("line é {} tail {end}~{end}", mark(number))).collect()
}

fn script() -> Scenario {
    let path = "{{cwd}}/a.txt";
    let mut script = Scenario::new().tool("Read", json!({ "file_path": path })).answer();
    for number in 0..EDITS {
        let part =
            |number: usize| json!({ "old_string": mark(number), "new_string": written(number) });
        script = match number % 6 {
            4 => script.tool(
                "Edit",
                json!({ "file_path": path, "edits": [part(number), part(number + 1)] }),
            ),
            5 => script,
            _ => {
                let mut edit = part(number);
                edit["file_path"] = json!(path);
                script.tool("Edit", edit)
            }
        };
        if number % PER_ANSWER == PER_ANSWER - 1 {
            script = script.answer();
        }
    }
    script.text("done")
}

struct Run {
    client: Client,
    author: Author,
    session: String,
    uri: String,
    seed: u64,
    applied: usize,
}

impl Run {
    fn act(&mut self, at_most: usize) {
        for _ in 0..self.author.dice.below(at_most + 1) {
            self.author.act(&mut self.client.editor, &self.uri);
        }
    }

    fn flush(&mut self) {
        for change in self.author.flush(&self.client.editor, &self.uri) {
            self.client.notify("textDocument/didChange", change);
        }
    }

    /// Carries out an edit request while the user types.
    fn carry_out(&mut self, asked: &Asked, params: &Value) {
        self.act(2);
        // What stays untold makes the edit one for an older version, and it is refused.
        if self.author.dice.below(4) > 0 {
            self.flush();
        }
        let done = self.author.apply(&mut self.client.editor, &self.uri, &params["edit"]);
        self.applied += usize::from(done.applied);
        self.act(4);
        if self.author.dice.below(2) == 0 {
            self.flush();
        }
        self.client.answer_edit(asked, &done);
        self.act(2);
        self.flush();
    }

    async fn turn(&mut self) {
        self.client.prompt(&self.session, "go").await;
        while let Some((asked, params)) =
            self.client.request_or_end::<Value>(APPLY, &self.session).await
        {
            self.carry_out(&asked, &params);
        }
        let ended = self.client.log.iter().filter_map(|event| match &event.body {
            protocol::EventBody::ToolEnded(ended) => Some(ended.status == ToolStatus::Completed),
            _ => None,
        });
        let completed = ended.filter(|completed| *completed).count();
        let reads = 1;
        assert!(completed <= self.applied + reads, "seed {}: {completed}", self.seed);
    }

    /// The hunks; those of the open document are where they say they are.
    async fn hunks(&mut self) -> Vec<Hunk> {
        let session_id = Some(self.session.clone());
        let params = ReviewListParams { session_id, ..ReviewListParams::default() };
        let hunks = self.client.request::<ReviewList>(params).await.hunks;
        let editor = &self.client.editor;
        for hunk in hunks.iter().filter(|hunk| hunk.state == HunkState::Pending) {
            assert_eq!(hunk.version, Some(editor.version(&self.uri)), "seed {}", self.seed);
            let range = serde_json::to_value(hunk.range).unwrap();
            let there = editor.text_of(&self.uri, &range);
            assert_eq!(there, hunk.new_text, "seed {}: {hunk:?}", self.seed);
        }
        hunks
    }

    /// Saves, closes and opens again, or throws away what was not saved.
    fn reopen(&mut self, project: &Project) {
        let text = match self.author.dice.below(4) {
            0 => self.author.discard(),
            1 => {
                let text = self.author.save(self.client.editor.text(&self.uri));
                project.write("a.txt", &text);
                text
            }
            _ => return,
        };
        self.client.close_document(&self.uri);
        self.client.open(&self.uri, &text);
        self.author.reopened(&text);
    }

    /// A request that leads to edits, during which the user types if `types`.
    async fn call(&mut self, method: &str, params: Value, types: bool) {
        let id = self.client.start(method, params);
        while let Some((asked, params)) = self.client.request_or_answer(APPLY, id).await {
            if types {
                self.carry_out(&asked, &params);
            } else {
                self.client.carry_out(asked, &params);
                self.author.reopened(self.client.editor.text(&self.uri));
            }
        }
        self.client.finish(id).await.unwrap();
    }

    /// Takes everything back, in one of the ways there are.
    async fn take_back(&mut self) {
        let reject = |what: Value| {
            let mut params = what;
            params["action"] = json!("reject");
            params
        };
        match self.author.dice.below(3) {
            0 => {
                let mut hunks = self.hunks().await;
                while !hunks.is_empty() {
                    let hunk = hunks.swap_remove(self.author.dice.below(hunks.len()));
                    self.call(
                        "agent/review/resolve",
                        reject(json!({ "hunkIds": [hunk.id] })),
                        true,
                    )
                    .await;
                }
            }
            1 => self.call("agent/review/resolve", reject(json!({ "uri": self.uri })), true).await,
            _ => {
                let to = self.client.first_message();
                let params = json!({ "sessionId": self.session, "toMessage": to, "what": "files" });
                self.call("agent/session/rewind", params, true).await;
            }
        }
        // What met with typing at its place is tried again while the user rests.
        self.flush();
        for _ in 0..8 {
            let active = |hunk: &Hunk| !matches!(hunk.state, HunkState::Rejected);
            let left: Vec<_> = self.hunks().await.into_iter().filter(active).collect();
            if left.is_empty() {
                break;
            }
            let ids: Vec<_> = left.into_iter().map(|hunk| hunk.id).collect();
            self.call("agent/review/resolve", reject(json!({ "hunkIds": ids })), false).await;
        }
    }
}

/// Returns how many operations there were.
async fn run(profile: Profile, seed: u64) -> usize {
    let project = Project::new("");
    project.write("a.txt", text(seed));
    let model = model(script()).await;
    let server = Server::start(&project, Some(&model));
    let mut client = server.connect(profile).await;
    let uri = project.uri("a.txt");
    client.open(&uri, &text(seed));
    client.held = vec![APPLY];
    let session = client.session_with(session_in(Mode::AcceptEdits)).await;
    let author = Author::new(seed, &text(seed));
    let mut run = Run { client, author, session, uri, seed, applied: 0 };
    run.turn().await;
    run.hunks().await;
    for _ in 0..3 {
        run.act(4);
        run.flush();
        run.hunks().await;
        run.reopen(&project);
    }
    run.take_back().await;
    let now = run.client.editor.text(&run.uri);
    let violations = run.author.violations(now);
    assert!(violations.is_empty(), "seed {seed}: {violations:?} in\n{now}");
    run.client.leave().await;
    run.author.operations
}

async fn many(mut profile: Profile, encoding: &'static [Encoding], first_seed: u64) {
    if let kit::Change::AfterTheAnswer(pause) = &mut profile.change {
        *pause = std::time::Duration::ZERO;
    }
    let asked = std::env::var("FUZZ_OPERATIONS").ok().and_then(|count| count.parse().ok());
    let wanted = asked.unwrap_or(OPERATIONS) / TESTS;
    let only = std::env::var("FUZZ_SEED").ok().and_then(|seed| seed.parse().ok());
    if let Some(seed) = only {
        run(profile.with_encoding(encoding), seed).await;
        return;
    }
    let (mut done, mut seed) = (0, first_seed);
    while done < wanted {
        done += run(profile.clone().with_encoding(encoding), seed).await;
        seed += 1;
    }
    eprintln!("{done} operations with {} seeds", seed - first_seed);
}

#[tokio::test(flavor = "multi_thread")]
async fn user_text_survives_batched_changes_in_vs_code() {
    many(Profile::VS_CODE, &[Encoding::Utf16], 1_000_000).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn user_text_survives_batched_changes_in_neovim() {
    many(Profile::NEOVIM, &[Encoding::Utf8], 2_000_000).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn user_text_survives_batched_changes_in_utf_32() {
    many(Profile::NEOVIM, &[Encoding::Utf32], 3_000_000).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn user_text_survives_batched_changes_in_utf_16() {
    many(Profile::NEOVIM, &[Encoding::Utf16], 4_000_000).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn user_text_survives_changes_told_before_the_answer() {
    let change = kit::Change::BeforeTheAnswer;
    many(Profile { change, ..Profile::VS_CODE }, &[Encoding::Utf16], 5_000_000).await;
}
