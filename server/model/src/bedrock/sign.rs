//! AWS Signature Version 4 for one request: a hash over everything that matters in it, with a key
//! that is good for one day, one region and one service.

use std::fmt::Write;

use aws_lc_rs::{digest, hmac};

/// What an account signs with.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Credentials {
    pub(crate) key_id: String,
    pub(crate) secret: String,
    pub(crate) session: Option<String>,
}

/// A request as it is signed. Header names are in lower case and in order.
pub(crate) struct Request<'a> {
    pub(crate) method: &'a str,
    /// As it is sent; each letter that is not plain is encoded once more here.
    pub(crate) path: &'a str,
    /// Sorted and encoded.
    pub(crate) query: &'a str,
    pub(crate) headers: &'a [(&'a str, &'a str)],
    pub(crate) body: &'a [u8],
}

/// Where and when: `time` is `20150830T123600Z`.
pub(crate) struct Scope<'a> {
    pub(crate) time: &'a str,
    pub(crate) region: &'a str,
    pub(crate) service: &'a str,
}

/// The value of the `authorization` header.
pub(crate) fn authorization(
    request: &Request<'_>,
    scope: &Scope<'_>,
    credentials: &Credentials,
) -> String {
    let day = scope.time.get(..8).unwrap_or(scope.time);
    let place = format!("{day}/{}/{}/aws4_request", scope.region, scope.service);
    let names: Vec<&str> = request.headers.iter().map(|(name, _)| *name).collect();
    let names = names.join(";");
    let hash = hex(digest::digest(&digest::SHA256, canonical(request, &names).as_bytes()).as_ref());
    let to_sign = format!("AWS4-HMAC-SHA256\n{}\n{place}\n{hash}", scope.time);
    let mut key = format!("AWS4{}", credentials.secret).into_bytes();
    for part in [day, scope.region, scope.service, "aws4_request"] {
        key = seal(&key, part);
    }
    let signature = hex(&seal(&key, &to_sign));
    let id = &credentials.key_id;
    format!(
        "AWS4-HMAC-SHA256 Credential={id}/{place}, SignedHeaders={names}, Signature={signature}"
    )
}

fn canonical(request: &Request<'_>, names: &str) -> String {
    let Request { method, path, query, headers, body } = request;
    let mut lines = String::new();
    for (name, value) in *headers {
        lines.push_str(&format!("{name}:{}\n", value.trim()));
    }
    let body = hex(digest::digest(&digest::SHA256, body).as_ref());
    format!("{method}\n{}\n{query}\n{lines}\n{names}\n{body}", encoded(path, true))
}

fn seal(key: &[u8], text: &str) -> Vec<u8> {
    hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), text.as_bytes()).as_ref().to_vec()
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// Percent-encoded but for letters, digits and `-._~`; slashes stay where they divide.
pub(crate) fn encoded(text: &str, keep_slashes: bool) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        let plain = byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        if plain || (keep_slashes && byte == b'/') {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the signature's own documentation.
    #[test]
    fn the_published_example_comes_out() {
        let headers = [
            ("content-type", "application/x-www-form-urlencoded; charset=utf-8"),
            ("host", "iam.amazonaws.com"),
            ("x-amz-date", "20150830T123600Z"),
        ];
        let request = Request {
            method: "GET",
            path: "/",
            query: "Action=ListUsers&Version=2010-05-08",
            headers: &headers,
            body: b"",
        };
        let scope = Scope { time: "20150830T123600Z", region: "us-east-1", service: "iam" };
        let credentials = Credentials {
            key_id: "AKIDEXAMPLE".to_owned(),
            secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY".to_owned(),
            session: None,
        };
        assert_eq!(
            authorization(&request, &scope, &credentials),
            "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/iam/aws4_request, \
             SignedHeaders=content-type;host;x-amz-date, \
             Signature=5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7"
        );
    }

    #[test]
    fn paths_are_encoded() {
        assert_eq!(encoded("a-v1:0", false), "a-v1%3A0");
        assert_eq!(encoded("/model/a%3A0/x", true), "/model/a%253A0/x");
        assert_eq!(encoded("a/ü", false), "a%2F%C3%BC");
    }
}
