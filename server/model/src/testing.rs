//! For the tests of the clouds: a server that gives canned answers, and a disk that is a list.

use std::time::{Duration, SystemTime};

use agent::{Block, Message, ModelRequest, Piece, Thinking};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::mpsc;

use crate::outside::Outside;

pub(crate) struct Disk(pub(crate) Vec<(&'static str, String)>);

impl Outside for Disk {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        let found = self.0.iter().find(|(name, _)| *name == path);
        found.map(|(_, text)| text.clone().into_bytes()).ok_or_else(|| "no such file".to_owned())
    }

    /// The first of January 2026.
    fn now(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(1_767_225_600)
    }
}

pub(crate) fn request(model: &str) -> ModelRequest {
    ModelRequest {
        model: model.to_owned(),
        max_tokens: 100,
        system: "[]".into(),
        tools: "[]".into(),
        messages: vec![Piece::new(&Message::user(vec![Block::text("hi")])).unwrap()],
        thinking: Thinking::Default,
        effort: None,
        format: None,
        clear_above: None,
        session: String::new(),
    }
}

/// Gives each answer once, in order, and tells the head and the body of each request.
pub(crate) async fn canned(
    answers: Vec<(&'static str, Vec<u8>)>,
) -> (String, mpsc::UnboundedReceiver<(String, String)>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (tell, heard) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        for (kind, bytes) in answers {
            let (mut client, _) = listener.accept().await.unwrap();
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                head.push(client.read_u8().await.unwrap());
            }
            let head = String::from_utf8(head).unwrap();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            let mut body = vec![0; length.unwrap().trim().parse().unwrap()];
            client.read_exact(&mut body).await.unwrap();
            let answer = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\
                 connection: close\r\n\r\n",
                bytes.len()
            );
            client.write_all(answer.as_bytes()).await.unwrap();
            client.write_all(&bytes).await.unwrap();
            tell.send((head, String::from_utf8(body).unwrap())).unwrap();
        }
    });
    (url, heard)
}
