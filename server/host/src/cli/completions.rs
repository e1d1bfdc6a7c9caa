//! `bowline completions` and `bowline man`: the table of commands, for shells and for `man`.

use std::path::Path;
use std::process::ExitCode;

use clap::{Command, CommandFactory as _};
use workspace::WriteOptions;

use super::args::{Args, CompletionsArgs, ManArgs};
use super::{Outcome, Problem, environment};
use crate::terminal;

pub(super) fn completions(args: &CompletionsArgs) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "bowline", &mut script);
    terminal::print(&String::from_utf8_lossy(&script));
    Ok(ExitCode::SUCCESS)
}

pub(super) fn man(args: &ManArgs) -> Outcome {
    let mut command = Args::command();
    // Only a command that was put together knows its full name and what its parents give it.
    command.build();
    match &args.output {
        None => terminal::print(&page(&command)?),
        Some(folder) => {
            let folder = environment::working_directory()?.join(folder);
            write_pages(&command, &folder, "bowline")?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// A page for the command and for each below it, named as `man` looks for them.
fn write_pages(command: &Command, folder: &Path, name: &str) -> Result<(), Problem> {
    let file = folder.join(format!("{name}.1"));
    let options = WriteOptions { expected: None, create_parents: true };
    workspace::write_atomic(&file, page(command)?.as_bytes(), &options)
        .map_err(|error| Problem::failed(error.to_string()))?;
    terminal::print(&file.display().to_string());
    let below = command.get_subcommands().filter(|below| below.get_name() != "help");
    below
        .into_iter()
        .try_for_each(|below| write_pages(below, folder, &format!("{name}-{}", below.get_name())))
}

fn page(command: &Command) -> Result<String, Problem> {
    let mut page = Vec::new();
    let written = clap_mangen::Man::new(command.clone()).render(&mut page);
    written.map_err(|error| Problem::failed(error.to_string()))?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}
