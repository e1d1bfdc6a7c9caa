//! What a server answered, as the model gets it: words up to a limit with the rest in a file,
//! pictures made to fit, and anything else as a file with its name.

use std::path::{Path, PathBuf};

use agent::ResultPart;
use mcp::Part;

use crate::context::Context;
use crate::media;
use crate::place::blocking;
use crate::show::reminder;
use crate::tasks::TaskKind;
use crate::tool::Problem;

/// How many tokens a result may have if nobody says otherwise (`MAX_MCP_OUTPUT_TOKENS`).
const USUAL_TOKENS: usize = 25_000;
/// About so many characters are a token.
const PER_TOKEN: usize = 4;
/// What is shown of a result that went to a file.
const PREVIEW: usize = 2_000;
/// More pictures than this in one answer are left out.
const MOST_PICTURES: usize = 20;

/// How many characters of words a result may have: what the user says, else what the server wants,
/// else the usual.
pub(crate) fn limit(cx: &Context, wanted: Option<usize>) -> usize {
    let env = cx.session.env();
    let said = env.iter().find(|(name, _)| name == "MAX_MCP_OUTPUT_TOKENS");
    let said = said.and_then(|(_, value)| value.to_str()?.trim().parse::<usize>().ok());
    let said = said.filter(|tokens| *tokens > 0).map(|tokens| tokens.saturating_mul(PER_TOKEN));
    said.or(wanted).unwrap_or(USUAL_TOKENS * PER_TOKEN)
}

/// The parts of an answer, no longer than `limit`.
pub(crate) async fn told(
    whose: &str,
    parts: Vec<Part>,
    limit: usize,
    cx: &Context,
) -> Vec<ResultPart> {
    let told = told_parts(whose, parts, |extension| file(cx, extension)).await;
    fit(whose, told, limit, cx).await
}

/// The same without a limit. `file` makes the name of a file for what cannot be shown.
pub async fn told_parts(
    whose: &str,
    parts: Vec<Part>,
    file: impl Fn(&str) -> Result<PathBuf, String>,
) -> Vec<ResultPart> {
    let mut told = Vec::new();
    let mut pictures = 0;
    for part in parts {
        match part {
            Part::Text(text) => told.push(ResultPart::Text { text }),
            Part::Resource { uri, text } => told.push(words(format!("Resource {uri}:\n{text}"))),
            Part::Link { uri, name, description } => {
                let about =
                    if description.is_empty() { String::new() } else { format!(": {description}") };
                told.push(words(format!("Link to the resource {uri} ({name}){about}")));
            }
            Part::Image { .. } if pictures == MOST_PICTURES => {
                told.push(words("A picture was left out: there are too many.".to_owned()));
            }
            Part::Image { mime_type, data } => {
                pictures += 1;
                told.extend(picture(whose, &mime_type, &data).await);
            }
            Part::Blob { what, mime_type, data } => {
                told.push(words(kept(&what, &mime_type, &data, &file).await));
            }
        }
    }
    if told.is_empty() {
        told.push(words("(no output)".to_owned()));
    }
    told
}

/// Its words without secrets, for whoever has no use for anything else.
pub(crate) fn words_of(content: &[ResultPart], cx: &Context) -> String {
    let words = content.iter().map(|part| match part {
        ResultPart::Text { text } => text.as_str(),
        _ => "(a picture, which cannot be shown here)",
    });
    cx.session.redactor().redact(&words.collect::<Vec<_>>().join("\n")).into_owned()
}

/// Keeps words where the output of a task is looked for. Without them the task is still what it is.
pub(crate) async fn keep_words(path: PathBuf, text: &str) {
    if let Err(error) = write(path, text.as_bytes().to_vec()).await {
        tracing::warn!(error, "the answer of a server cannot be kept");
    }
}

fn words(text: String) -> ResultPart {
    ResultPart::Text { text }
}

async fn picture(whose: &str, mime_type: &str, data: &str) -> Vec<ResultPart> {
    let name = format!("A picture of {whose}");
    let shown = match media::from_base64(data) {
        Some(bytes) => media::show_picture(&name, bytes).await,
        None => Err(Problem(format!("{name} ({mime_type}) is not Base64."))),
    };
    shown.unwrap_or_else(|problem| vec![words(problem.to_string())])
}

/// What is neither words nor a picture goes to a file.
async fn kept(
    what: &str,
    mime_type: &str,
    data: &str,
    file: &impl Fn(&str) -> Result<PathBuf, String>,
) -> String {
    let about = format!("{what} ({mime_type})");
    let Some(bytes) = media::from_base64(data) else { return format!("{about} is not Base64.") };
    let size = bytes.len();
    let written = match file(extension(mime_type)) {
        Ok(path) => write(path, bytes).await,
        Err(why) => Err(why),
    };
    match written {
        Ok(path) => format!("{about}, {size} bytes, was written to {}.", path.display()),
        Err(why) => format!("{about}, {size} bytes, could not be kept: {why}"),
    }
}

async fn write(path: PathBuf, bytes: Vec<u8>) -> Result<PathBuf, String> {
    let written = blocking(move || {
        let written = workspace::Spool::whole(&path, &bytes);
        written.map(|()| path).map_err(|error| error.to_string())
    });
    written.await.unwrap_or_else(|problem| Err(problem.to_string()))
}

/// The name of a new file beside the output of the session's commands: the model may read it.
fn file(cx: &Context, extension: &str) -> Result<PathBuf, String> {
    let reserved = cx.world.tasks().reserve(TaskKind::Shell)?;
    Ok(reserved.output.with_extension(extension))
}

/// Only what is known: a server must not name files.
fn extension(mime_type: &str) -> &'static str {
    match mime_type.split(';').next().unwrap_or_default().trim() {
        "application/pdf" => "pdf",
        "application/zip" => "zip",
        "application/gzip" => "gz",
        "audio/wav" | "audio/x-wav" => "wav",
        "audio/mpeg" => "mp3",
        "audio/ogg" => "ogg",
        "video/mp4" => "mp4",
        _ => "bin",
    }
}

/// Words that are too long go to a file; the model gets the beginning.
async fn fit(whose: &str, parts: Vec<ResultPart>, limit: usize, cx: &Context) -> Vec<ResultPart> {
    let texts = parts.iter().filter_map(|part| match part {
        ResultPart::Text { text } => Some(text.as_str()),
        _ => None,
    });
    let all = texts.collect::<Vec<_>>().join("\n");
    if all.len() <= limit {
        return parts;
    }
    let size = all.len();
    let begins = all[..all.floor_char_boundary(PREVIEW.min(limit))].to_owned();
    // What the file holds is read again later, so no secret may get there.
    let kept = cx.session.redactor().redact(&all).into_owned();
    let written = match file(cx, "txt") {
        Ok(path) => write(path, kept.into_bytes()).await,
        Err(why) => Err(why),
    };
    let text = match written {
        Ok(path) => long(whose, size, &path, &begins),
        Err(why) => {
            let shown = &all[..all.floor_char_boundary(limit)];
            let note = format!("The rest of {size} bytes is lost: {why}");
            format!("{shown}\n{}", reminder(&note))
        }
    };
    let media = parts.into_iter().filter(|part| !matches!(part, ResultPart::Text { .. }));
    std::iter::once(words(text)).chain(media).collect()
}

fn long(whose: &str, size: usize, path: &Path, begins: &str) -> String {
    format!(
        "The result of {whose} is {size} bytes long and was written to {}. Read parts of that file, \
         or search it with Grep; if the tool can filter or page, ask it for less. It begins:\n\n\
         {begins}\n…",
        path.display()
    )
}
