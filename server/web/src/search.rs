//! A search service of the user's own: asked by GET, answers in JSON as SearxNG does.
//!
//! `{"results": [{"title": …, "url": …, "content"?: …}, …]}`. The words go into the address as `q`,
//! or where it has `{query}`.

use serde::Deserialize;
use url::Url;

use crate::fetch::{Web, WebError};
use crate::page::Body;

/// Where to ask.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchService {
    address: String,
    headers: Vec<(String, String)>,
}

/// One result.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct SearchHit {
    pub title: String,
    pub url: String,
    pub content: String,
}

#[derive(Deserialize)]
struct Answer {
    results: Vec<SearchHit>,
}

impl SearchService {
    /// `headers` are `Name: value`. The error is a sentence for the user.
    pub fn new(address: &str, headers: &[String]) -> Result<Self, String> {
        let service = Self { address: address.trim().to_owned(), headers: Vec::new() };
        let url = service.question("x").map_err(|error| error.to_string())?;
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
            return Err(format!("`webSearch.url` must be an http address, not {address:?}."));
        }
        let pair = |line: &String| {
            let (name, value) = line.split_once(':')?;
            Some((name.trim().to_owned(), value.trim().to_owned()))
        };
        let headers: Option<Vec<_>> = headers.iter().map(pair).collect();
        let headers =
            headers.ok_or("`webSearch.headers` must be lines such as \"Name: value\".")?;
        Ok(Self { headers, ..service })
    }

    /// What must not be shown.
    pub fn secrets(&self) -> impl Iterator<Item = &str> {
        self.headers.iter().map(|(_, value)| value.as_str())
    }

    fn question(&self, query: &str) -> Result<Url, url::ParseError> {
        if self.address.contains("{query}") {
            let mut words = Url::parse("http://x/")?;
            words.query_pairs_mut().append_pair("q", query);
            let encoded = words.query().unwrap_or_default().trim_start_matches("q=").to_owned();
            return Url::parse(&self.address.replace("{query}", &encoded));
        }
        let mut url = Url::parse(&self.address)?;
        let has_format = url.query_pairs().any(|(name, _)| name == "format");
        let mut pairs = url.query_pairs_mut();
        pairs.append_pair("q", query);
        if !has_format {
            pairs.append_pair("format", "json");
        }
        drop(pairs);
        Ok(url)
    }
}

impl Web {
    /// What the service finds. A redirect is not followed: the headers are for this host alone.
    pub async fn search(
        &self,
        service: &SearchService,
        query: &str,
    ) -> Result<Vec<SearchHit>, WebError> {
        let bad = |why: &str| WebError::BadSearch(why.to_owned());
        let url = service.question(query).map_err(|_| bad("its address cannot be read"))?;
        let page = self.ask(url, &service.headers).await?;
        if page.status != 200 {
            return Err(bad(&format!("it answered with status {}", page.status)));
        }
        let Body::Text(text) = &page.body else { return Err(bad("its answer is no text")) };
        let answer: Answer =
            serde_json::from_str(text).map_err(|_| bad("its answer has no `results` in JSON"))?;
        Ok(answer.results)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions() {
        let check = |address: &str, expect: &str| {
            let service = SearchService::new(address, &[]).unwrap();
            assert_eq!(service.question("high & low").unwrap().as_str(), expect);
        };
        check("https://s.example/search", "https://s.example/search?q=high+%26+low&format=json");
        check(
            "https://s.example/?format=rss&lang=en",
            "https://s.example/?format=rss&lang=en&q=high+%26+low",
        );
        check("https://s.example/find/{query}.json", "https://s.example/find/high+%26+low.json");
        assert!(SearchService::new("nonsense", &[]).is_err());
        assert!(SearchService::new("file:///etc/passwd", &[]).is_err());
        assert!(SearchService::new("https://s.example", &["no colon".to_owned()]).is_err());
    }
}
