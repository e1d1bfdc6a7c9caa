//! `bowline acp`: the ACP door on this process's own pipes.

use super::args::AcpArgs;
use super::log::Beginning;
use super::{Outcome, serve, stdio};
use crate::doors::acp;

pub(super) fn run(args: &AcpArgs, begin: &Beginning) -> Outcome {
    serve::with_core(&args.session, begin, async |host, core| {
        acp::serve(host, core, stdio::input(), stdio::output()).await;
        0
    })
}
