//! What the client can ask for, one file for each method.

pub(super) mod authenticate;
pub(super) mod cancel_request;
pub(super) mod initialize;
pub(super) mod logout;
pub(super) mod session_cancel;
pub(super) mod session_close;
pub(super) mod session_delete;
pub(super) mod session_list;
pub(super) mod session_load;
pub(super) mod session_new;
pub(super) mod session_prompt;
pub(super) mod session_resume;
pub(super) mod session_set_config_option;
pub(super) mod session_set_mode;
pub(super) mod session_steering;

use protocol::session::SessionAttachParams;

use super::schema::SessionId;
use crate::core::RpcError;

/// What loading and resuming a session have in common.
fn attach(session: &SessionId, cwd: &std::path::Path) -> SessionAttachParams {
    SessionAttachParams {
        session_id: session.0.to_string(),
        since: None,
        cwd: Some(cwd.display().to_string()),
    }
}

/// A session that is not there is a resource that is not.
fn not_there(error: RpcError) -> RpcError {
    match error.code {
        RpcError::FAILED => RpcError::new(RpcError::NOT_THERE, error.message),
        _ => error,
    }
}
