//! Whether a provider's server answers at all: for `bowline doctor`, which tells a wrong key from no
//! network.

use std::time::Duration;

use crate::env::Env;
use crate::fault::cause;
use crate::keys::{Service, base_of};

/// Whoever has not answered by then will not make anybody happy.
const DEADLINE: Duration = Duration::from_secs(5);

/// Asks the service's server for its first page, without a key. Any answer counts: what is wanted to
/// know is whether names, proxies and certificates work. The error is a reason, not a sentence.
pub async fn reach(env: &Env, service: Service) -> Result<(), String> {
    let url = base_of(env, service).map_err(|error| error.to_string())?;
    let client = env.http().client(&url).map_err(|error| error.message)?;
    let sent = client.get(url).timeout(DEADLINE).send().await;
    sent.map(drop).map_err(|error| match error.is_timeout() {
        true => format!("no answer within {} seconds", DEADLINE.as_secs()),
        false => cause(&error),
    })
}
