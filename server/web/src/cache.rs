//! Pages that were fetched a short while ago. Bounded in time, number and size.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::page::Page;

const FRESH: Duration = Duration::from_secs(15 * 60);
const MOST_PAGES: usize = 64;
const MOST_BYTES: usize = 32 * 1024 * 1024;

#[derive(Default)]
pub(crate) struct Cache(Mutex<VecDeque<Kept>>);

struct Kept {
    /// The address that was asked for.
    url: String,
    at: Instant,
    page: Arc<Page>,
}

impl Cache {
    pub(crate) fn get(&self, url: &str) -> Option<Arc<Page>> {
        let mut pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        pages.retain(|kept| kept.at.elapsed() < FRESH);
        pages.iter().find(|kept| kept.url == url).map(|kept| kept.page.clone())
    }

    pub(crate) fn put(&self, url: &str, page: &Arc<Page>) {
        let mut pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        pages.retain(|kept| kept.url != url);
        pages.push_back(Kept { url: url.to_owned(), at: Instant::now(), page: page.clone() });
        let bytes =
            |pages: &VecDeque<Kept>| pages.iter().map(|kept| kept.page.size()).sum::<usize>();
        while pages.len() > MOST_PAGES || bytes(&pages) > MOST_BYTES {
            pages.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Body;

    fn page(size: usize) -> Arc<Page> {
        let url = "https://example.com/".parse().unwrap();
        Arc::new(Page { url, status: 200, bytes: size, body: Body::Text("x".repeat(size)) })
    }

    #[tokio::test(start_paused = true)]
    async fn pages_are_forgotten_in_time_and_when_there_are_too_many() {
        let cache = Cache::default();
        cache.put("a", &page(1));
        tokio::time::advance(FRESH - Duration::from_secs(1)).await;
        assert!(cache.get("a").is_some());
        tokio::time::advance(Duration::from_secs(2)).await;
        assert!(cache.get("a").is_none());
        for n in 0..100 {
            cache.put(&n.to_string(), &page(1));
        }
        assert!(cache.get("35").is_none() && cache.get("36").is_some());
        cache.put("huge", &page(MOST_BYTES));
        assert!(cache.get("huge").is_none() && cache.get("99").is_none());
    }
}
