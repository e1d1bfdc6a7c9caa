//! What the clipboard holds: a picture first, else text. Asked of whatever program there is.

use std::process::Stdio;
use std::time::Duration;

use base64::Engine as _;
use tokio::io::AsyncReadExt as _;

use crate::app::Clipping;

/// A program that hangs is not waited for.
const PATIENCE: Duration = Duration::from_secs(3);
/// A larger picture is not for a prompt.
const LARGEST: u64 = 20 << 20;

/// Programs that print a picture, and those that print text.
const PICTURES: &[(&str, &[&str])] = &[
    ("wl-paste", &["--no-newline", "--type", "image/png"]),
    ("xclip", &["-selection", "clipboard", "-t", "image/png", "-o"]),
    ("pngpaste", &["-"]),
];
const TEXTS: &[(&str, &[&str])] = &[
    ("wl-paste", &["--no-newline", "--type", "text/plain"]),
    ("xclip", &["-selection", "clipboard", "-o"]),
    ("xsel", &["--clipboard", "--output"]),
    ("pbpaste", &[]),
];

pub(super) async fn read() -> Clipping {
    let mut known = false;
    for (program, arguments) in PICTURES {
        match run(program, arguments).await {
            Printed::Bytes(bytes) => {
                known = true;
                if let Some(mime) = kind(&bytes) {
                    let data = base64::engine::general_purpose::STANDARD.encode(&bytes);
                    return Clipping::Picture { mime: mime.to_owned(), data, size: bytes.len() };
                }
            }
            Printed::TooMuch => {
                return Clipping::Nothing(
                    "The picture in the clipboard is larger than 20 MB".into(),
                );
            }
            Printed::Nothing => known = true,
            Printed::NoProgram => {}
        }
    }
    for (program, arguments) in TEXTS {
        match run(program, arguments).await {
            Printed::Bytes(bytes) => match String::from_utf8(bytes) {
                Ok(text) if !text.is_empty() => return Clipping::Text(text),
                _ => known = true,
            },
            Printed::NoProgram => {}
            _ => known = true,
        }
    }
    Clipping::Nothing(match known {
        true => "There is neither a picture nor text in the clipboard".to_owned(),
        false => "No program reads the clipboard here: install wl-clipboard or xclip".to_owned(),
    })
}

enum Printed {
    Bytes(Vec<u8>),
    Nothing,
    TooMuch,
    NoProgram,
}

async fn run(program: &str, arguments: &[&str]) -> Printed {
    let mut command = tokio::process::Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let Ok(mut child) = command.kill_on_drop(true).spawn() else { return Printed::NoProgram };
    let Some(stdout) = child.stdout.take() else { return Printed::Nothing };
    let mut bytes = Vec::new();
    let reading = async {
        stdout.take(LARGEST + 1).read_to_end(&mut bytes).await.is_ok()
            && child.wait().await.is_ok_and(|status| status.success())
    };
    let done = tokio::time::timeout(PATIENCE, reading).await.unwrap_or(false);
    match bytes.len() as u64 {
        size if size > LARGEST => Printed::TooMuch,
        0 => Printed::Nothing,
        _ if done => Printed::Bytes(bytes),
        _ => Printed::Nothing,
    }
}

/// What a picture is, by its first bytes: a program may print something else than it was asked for.
fn kind(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}
