//! `bowline schema`: the protocol for programs.

use std::process::ExitCode;

use protocol::generate;

use super::Outcome;
use super::args::{SchemaArgs, SchemaFormat};
use crate::terminal;

pub(super) fn run(args: &SchemaArgs) -> Outcome {
    let schema = protocol::schema();
    terminal::print(&match args.format {
        SchemaFormat::Json => format!("{schema:#}"),
        SchemaFormat::Typescript => generate::typescript(&schema),
        SchemaFormat::Lua => generate::lua(&schema),
    });
    Ok(ExitCode::SUCCESS)
}
