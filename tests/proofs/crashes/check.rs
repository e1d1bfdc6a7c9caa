//! What must be there after a restart.

use std::collections::BTreeMap;

use kit::{Client, files};
use model::TestServer;
use protocol::edit::ReviewAction;
use protocol::review::{
    Hunk, HunkResult, HunkState, ReviewList, ReviewListParams, ReviewResolve, ReviewResolveParams,
};
use protocol::session::{RewindWhat, SessionRewind, SessionRewindParams};
use protocol::snapshot::{Role, Snapshot, SnapshotBlock};
use protocol::tool::{ToolCallState, ToolStatus};
use serde_json::Value;

use super::life::{FIXTURE, Story};
use super::seen::text_of;

/// The conversation has everything that was shown of it.
pub(super) fn snapshot(story: &Story<'_>, snapshot: &Snapshot) {
    let blocks = || {
        let messages = snapshot.messages.iter();
        messages.flat_map(|message| message.blocks.iter().map(move |block| (message, block)))
    };
    let tally = story.tally;
    for prompt in &story.seen.prompts {
        let said = blocks().any(|(message, block)| {
            message.role == Role::User
                && matches!(block, SnapshotBlock::Text(text) if text.text == *prompt)
        });
        tally.check("acknowledged prompt", said, || prompt.clone());
    }
    // A retraction may be recorded although no client was told of it any more.
    let stands = |(_, text): &&(String, String)| !text.to_lowercase().contains("taken back");
    for (id, text) in story.seen.messages.iter().filter(stands) {
        let said = blocks().any(|(message, block)| {
            message.message_id == *id
                && matches!(block, SnapshotBlock::Text(there) if there.text == *text)
        });
        tally.check("ended message", said, || format!("{id} {text:?}"));
    }
    for (id, text) in story.seen.thoughts.iter().filter(stands) {
        let said = blocks().any(|(message, block)| {
            message.message_id == *id
                && matches!(block, SnapshotBlock::Thought(there) if there.text == *text)
        });
        tally.check("ended thought", said, || format!("{id} {text:?}"));
    }
    for id in &story.seen.retracted {
        let gone = snapshot.messages.iter().all(|message| message.message_id != *id);
        tally.check("retracted answer", gone, || id.clone());
    }
    let calls: BTreeMap<_, _> = blocks().filter_map(|(_, block)| call(block)).collect();
    for call in calls.values() {
        let open =
            matches!(call.status, ToolStatus::Pending | ToolStatus::Running | ToolStatus::Waiting);
        tally.check("no call is open", !open, || format!("{call:?}"));
    }
    for id in &story.seen.started {
        tally.check("started call", calls.contains_key(id.as_str()), || id.clone());
    }
    for (id, shown) in &story.seen.calls {
        let there = calls.get(id.as_str());
        let same = there.is_some_and(|call| {
            let worked = |status: &ToolStatus| *status == ToolStatus::Completed;
            worked(&call.status) == worked(&shown.status) && text_of(&call.content) == shown.text
        });
        tally.check("ended call", same, || format!("{id} {shown:?}: {there:?}"));
    }
}

fn call(block: &SnapshotBlock) -> Option<(&str, &ToolCallState)> {
    match block {
        SnapshotBlock::ToolCall(call) => Some((call.call.tool_call_id.as_str(), &call.call)),
        _ => None,
    }
}

/// The first request of this life tells the model of every call that was shown, with its result.
pub(super) fn request(story: &Story<'_>, script: &TestServer, prompt: &str) {
    let requests = script.requests();
    let about = |request: &&model::Captured| request.body["messages"].to_string().contains(prompt);
    let Some(request) = requests.iter().find(about) else { return };
    let blocks = request.body["messages"].as_array().into_iter().flatten();
    let blocks: Vec<&Value> =
        blocks.filter_map(|message| message["content"].as_array()).flatten().collect();
    for (id, shown) in &story.seen.calls {
        let called = blocks.iter().any(|block| block["id"] == **id);
        let result = blocks.iter().find(|block| block["tool_use_id"] == **id);
        let told = result.is_some_and(|result| words(&result["content"]).trim() == shown.text);
        story.tally.check("the model is told", called && told, || format!("{id}: {result:?}"));
    }
}

fn words(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().map(words).collect::<Vec<_>>().join("\n"),
        Value::Object(part) => part.get("text").map(words).unwrap_or_default(),
        _ => String::new(),
    }
}

pub(super) async fn hunks(client: &mut Client, session: &str) -> Vec<Hunk> {
    let session_id = Some(session.to_owned());
    let params = ReviewListParams { session_id, ..ReviewListParams::default() };
    client.request::<ReviewList>(params).await.hunks
}

/// Every hunk that was shown waits for review.
pub(super) async fn listed(story: &Story<'_>, client: &mut Client, session: &str) {
    let there = hunks(client, session).await;
    for (id, shown) in &story.seen.hunks {
        let found = there.iter().find(|hunk| hunk.id == *id);
        let same = found.is_some_and(|hunk| {
            let same = |a: &str, b: &str| story.without_typed(a) == story.without_typed(b);
            hunk.state == HunkState::Pending
                && same(&hunk.old_text, &shown.old_text)
                && same(&hunk.new_text, &shown.new_text)
        });
        story.tally.check("hunk", same, || format!("{shown:?}: {found:?}"));
    }
}

/// An interrupted write leaves nothing in the user's folder once the next session has begun.
pub(super) fn temporary_files(story: &Story<'_>) {
    let is_ours = |path: &std::path::PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with(".bowline-") && name.ends_with(".tmp")
    };
    let mut left = files::all(story.project.root());
    left.retain(is_ours);
    story.tally.check("no temporary files", left.is_empty(), || format!("{left:?}"));
}

/// Rejects every hunk that waits, the newest first, as a user who wants none of it.
pub(super) async fn reject(
    client: &mut Client,
    session: &str,
    mut done: impl FnMut(&Hunk, &HunkResult),
) {
    let mut pending = hunks(client, session).await;
    pending.retain(|hunk| hunk.state == HunkState::Pending);
    for hunk in pending.iter().rev() {
        let params = ReviewResolveParams {
            hunk_ids: Some(vec![hunk.id.clone()]),
            uri: None,
            turn_id: None,
            session_id: None,
            tool_call_id: None,
            at: None,
            action: ReviewAction::Reject,
            lines: None,
            comment: None,
        };
        let result = client.request::<ReviewResolve>(params).await.results.remove(0);
        done(hunk, &result);
    }
}

pub(super) async fn reject_all(story: &Story<'_>, client: &mut Client, session: &str) {
    let judge = |hunk: &Hunk, result: &HunkResult| {
        let gone = result.state == HunkState::Rejected;
        story.tally.check("rejected hunk", gone, || format!("{hunk:?}: {result:?}"));
    };
    reject(client, session, judge).await;
}

/// To before the first prompt.
pub(super) async fn rewind(story: &Story<'_>, client: &mut Client, session: &str) {
    let snapshot = client.attach(session, None).await.snapshot.unwrap();
    let first = snapshot.messages.iter().find(|message| message.role == Role::User);
    let Some(first) = first else { return };
    let params = SessionRewindParams {
        session_id: session.to_owned(),
        to_message: first.message_id.clone(),
        what: RewindWhat::Both,
        preview: Some(false),
    };
    let done = client.request::<SessionRewind>(params).await;
    // What the user typed into the agent's text is told as a conflict, and stays.
    let mut conflicts = done.conflicts;
    conflicts.retain(|conflict| !conflict.reason.starts_with("You have written in this change"));
    story.tally.check("rewound hunks", conflicts.is_empty(), || format!("{conflicts:?}"));
}

/// Every file has the text from before, and none is left that was not there.
pub(super) fn disk(story: &Story<'_>, rejects: bool) {
    let how = if rejects { "by rejecting" } else { "by a rewind" };
    let closed = story.project.read("closed.txt");
    let before = FIXTURE.split("//- /").find_map(|part| part.strip_prefix("closed.txt\n"));
    story.tally.check("closed file is as before", Some(closed.as_str()) == before, || {
        format!("{how}: {closed:?}")
    });
    let made: Vec<_> = files::all(story.project.root())
        .into_iter()
        .filter(|path| {
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("made"))
        })
        .collect();
    story.tally.check("made files are gone", made.is_empty(), || format!("{how}: {made:?}"));
}
