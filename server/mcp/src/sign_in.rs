//! Signing in to a server of a session: because the user wants to, or in the middle of a call that
//! needs it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::Mutex;

use crate::access::Access;
use crate::auth::SignIn;
use crate::client::{Elicitation, Elicited};
use crate::keeper::Order;
use crate::server::Server;
use crate::transport::Surroundings;

/// The sign-ins of one server.
#[derive(Default)]
pub(crate) struct SignIns {
    /// How many have come to a good end.
    done: AtomicU64,
    /// Held while one is under way, so that calls that need the same do not ask the user twice.
    alone: Mutex<()>,
}

impl Server {
    /// Prepares a sign-in; its page is for the user. The error is a sentence.
    pub async fn begin_sign_in(&self) -> Result<SignIn, String> {
        let access = self.access()?;
        let oauth = access.oauth().ok_or("This server has no sign-in.")?;
        let challenge = self.now().challenge.or_else(|| access.challenge());
        oauth.begin(challenge.as_deref(), None).await
    }

    /// Waits until the user, who has the page, has signed in, and connects anew.
    pub async fn finish_sign_in(&self, begun: SignIn) -> Result<(), String> {
        let _alone = self.sign_ins.alone.lock().await;
        begun.finish(std::future::pending()).await?;
        self.sign_ins.done.fetch_add(1, Ordering::AcqRel);
        let _ = self.orders.try_send(Order::Reconnect);
        Ok(())
    }

    /// How many sign-ins there were so far. To be looked at before a request is made.
    pub(crate) fn sign_ins_so_far(&self) -> u64 {
        self.sign_ins.done.load(Ordering::Acquire)
    }

    /// A request could not be made without another sign-in. Whether it is worth another try.
    pub(crate) async fn sign_in_meanwhile(&self, so_far: u64) -> bool {
        let _alone = self.sign_ins.alone.lock().await;
        if self.sign_ins_so_far() != so_far {
            return true;
        }
        let signed_in = async {
            let begun = self.begin_sign_in().await?;
            see_through(begun, self.name(), &self.around).await
        };
        match signed_in.await {
            Ok(()) => {
                self.sign_ins.done.fetch_add(1, Ordering::AcqRel);
                true
            }
            Err(why) => {
                self.shared.log.note(&why);
                false
            }
        }
    }

    fn access(&self) -> Result<Arc<Access>, String> {
        let (config, _) = self.config.expand(&self.around.variables());
        self.around.access(&config)
    }
}

/// The page is shown until the sign-in is over; whoever closes it has ended the sign-in.
async fn see_through(
    begun: SignIn,
    server: &str,
    around: &Arc<dyn Surroundings>,
) -> Result<(), String> {
    let message = "Sign in there, and come back.".to_owned();
    let page = Elicitation::Page { message, url: begun.url().to_string() };
    let shown = around.elicit(server, page);
    let refused = async {
        match shown.await {
            // Opened; what happens there is heard of otherwise.
            Elicited::Accepted(_) => std::future::pending().await,
            Elicited::Declined => "You did not want to sign in.".to_owned(),
            Elicited::Cancelled => "Nobody signed in.".to_owned(),
        }
    };
    tokio::select! {
        finished = begun.finish(std::future::pending()) => finished,
        why = refused => Err(why),
    }
}
