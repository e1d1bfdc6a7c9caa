//! The `bowline` command. Everything is in the library, where tests reach it.

fn main() -> std::process::ExitCode {
    host::cli::main()
}
