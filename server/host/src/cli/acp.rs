//! `bowline acp`: the ACP door on this process's own pipes.

use super::args::AcpArgs;
use super::log::Beginning;
use super::{Outcome, serve, stdio};
use crate::doors::acp;

pub(super) fn run(args: &AcpArgs, begin: &Beginning) -> Outcome {
    let leave = args.join.leave();
    serve::with_core(&args.session, &args.join, begin, async |host, core| {
        acp::serve(host, core, leave, stdio::input(), stdio::output()).await;
        0
    })
}
