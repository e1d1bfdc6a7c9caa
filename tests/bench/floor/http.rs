//! As much HTTP as the loopback server needs: one connection, posts, chunked answers by lines.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;

use anyhow::{Context as _, bail, ensure};

pub struct Connection {
    stream: BufReader<TcpStream>,
    host: String,
}

impl Connection {
    pub fn open(url: &str) -> anyhow::Result<Self> {
        let host = url.strip_prefix("http://").context("the floor speaks plain HTTP only")?;
        let stream = TcpStream::connect(host)?;
        stream.set_nodelay(true)?;
        Ok(Self { stream: BufReader::with_capacity(1 << 16, stream), host: host.to_owned() })
    }

    pub fn post(
        &mut self,
        path: &str,
        body: &str,
        mut on_line: impl FnMut(&str) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: {}\r\nx-api-key: bench\r\nanthropic-version: 2023-06-01\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n",
            self.host,
            body.len()
        );
        self.stream.get_mut().write_all(&[head.as_bytes(), body.as_bytes()].concat())?;
        self.expect_chunks()?;
        let mut text = Vec::new();
        while self.chunk(&mut text)? {
            let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
            for line in std::str::from_utf8(&text[..whole])?.lines() {
                on_line(line)?;
            }
            text.drain(..whole);
        }
        Ok(())
    }

    fn line(&mut self) -> anyhow::Result<String> {
        let mut line = String::new();
        ensure!(self.stream.read_line(&mut line)? > 0, "the server hung up");
        line.truncate(line.trim_end().len());
        Ok(line)
    }

    fn expect_chunks(&mut self) -> anyhow::Result<()> {
        let status = self.line()?;
        let mut chunked = false;
        loop {
            let header = self.line()?.to_ascii_lowercase();
            if header.is_empty() {
                break;
            }
            chunked |= header == "transfer-encoding: chunked";
        }
        if !status.starts_with("HTTP/1.1 200") || !chunked {
            bail!("the server answered {status}");
        }
        Ok(())
    }

    /// Appends the next chunk; `false` after the last one.
    fn chunk(&mut self, text: &mut Vec<u8>) -> anyhow::Result<bool> {
        let size = self.line()?;
        let size = usize::from_str_radix(&size, 16).with_context(|| format!("chunk {size:?}"))?;
        let start = text.len();
        text.resize(start + size, 0);
        self.stream.read_exact(&mut text[start..])?;
        self.line()?;
        Ok(size > 0)
    }
}
