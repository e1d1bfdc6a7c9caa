//! The `bowline` command. Everything is in the library, where tests reach it.
//!
//! Before anything else is set up we look whether we are the helper of a sandbox, because then we
//! are about to become another program, and every command waits for that.

fn main() -> std::process::ExitCode {
    exec::enter().unwrap_or_else(host::cli::main)
}
