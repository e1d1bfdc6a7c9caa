//! What a client hears of by itself: things that its user should know, as far as it cares.

#![expect(deprecated, reason = "clients of this version of the protocol still have it")]

use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::{
    LoggingLevel, LoggingMessageNotificationParam, ServerCapabilities, ServerCapabilitiesBuilder,
    SetLevelRequestParams,
};
use rmcp::{Peer, RoleServer};
use serde_json::Value;

/// How much somebody should care.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Care {
    Info,
    Warning,
    Error,
}

/// What matters less is not told.
#[derive(Clone)]
pub(super) struct Least(Arc<Mutex<LoggingLevel>>);

impl Default for Least {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(LoggingLevel::Info)))
    }
}

impl Least {
    pub(super) fn set(&self, wish: &SetLevelRequestParams) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = wish.level;
    }

    /// Nothing is lost by a client that is gone.
    pub(super) async fn tell(&self, peer: &Peer<RoleServer>, care: Care, text: &str) {
        if let Some(news) = self.news(care, text) {
            let _ = peer.notify_logging_message(news).await;
        }
    }

    fn news(&self, care: Care, text: &str) -> Option<LoggingMessageNotificationParam> {
        let level = match care {
            Care::Info => LoggingLevel::Info,
            Care::Warning => LoggingLevel::Warning,
            Care::Error => LoggingLevel::Error,
        };
        let least = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let news = LoggingMessageNotificationParam::new(level, Value::from(text));
        (rank(level) >= rank(least)).then(|| news.with_logger("bowline"))
    }
}

/// What we offer.
pub(super) fn offered(builder: ServerCapabilitiesBuilder) -> ServerCapabilities {
    builder.enable_tools().enable_prompts().enable_logging().build()
}

/// From what nobody has to know to what everybody must.
fn rank(level: LoggingLevel) -> u8 {
    match level {
        LoggingLevel::Debug => 0,
        LoggingLevel::Info => 1,
        LoggingLevel::Notice => 2,
        LoggingLevel::Warning => 3,
        LoggingLevel::Error => 4,
        LoggingLevel::Critical => 5,
        LoggingLevel::Alert => 6,
        LoggingLevel::Emergency => 7,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_wants_only_errors_hears_no_warnings() {
        let least = Least::default();
        assert!(least.news(Care::Info, "x").is_some());
        least.set(&SetLevelRequestParams::new(LoggingLevel::Error));
        assert!(least.news(Care::Warning, "x").is_none());
        assert!(least.news(Care::Error, "x").is_some());
    }
}
