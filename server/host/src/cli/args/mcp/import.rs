//! `bowline mcp import`

use std::path::PathBuf;

use clap::Args as ClapArgs;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use extend::neighbours::Neighbour;

use super::McpScope;

#[derive(Debug, ClapArgs)]
#[command(after_long_help = "Examples:\n  \
        bowline mcp import                                   what there is to take over\n  \
        bowline mcp import --from claude-desktop             all servers of Claude Desktop\n  \
        bowline mcp import --from cursor files docs          two of Cursor's\n  \
        bowline mcp import --file ./mcp.json --scope local   those of any such file\n\n\
        The files of other programs are only read. A server of a name that is there already stays as\n\
        it is, unless --force says otherwise. What only the other program can fill in, such as\n\
        ${input:key}, cannot be taken over and is named.\n\n\
        Exit codes: 0 done, 1 something was not taken over, 2 wrong usage.")]
pub(in crate::cli) struct ImportArgs {
    /// Only these servers; all without a name
    #[arg(value_name = "SERVER")]
    pub(in crate::cli) names: Vec<String>,

    /// Whose servers; may be repeated. Without it, and without --file, what there is is listed
    #[arg(long, value_parser = neighbour(), value_name = "PROGRAM")]
    pub(in crate::cli) from: Vec<Neighbour>,

    /// A file of one of these programs, wherever it is
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) file: Option<PathBuf>,

    /// Which file is changed
    #[arg(short, long, value_enum, default_value = "user")]
    pub(in crate::cli) scope: McpScope,

    /// Replace servers of the same name
    #[arg(long)]
    pub(in crate::cli) force: bool,

    /// Only say what would be taken over
    #[arg(long)]
    pub(in crate::cli) dry_run: bool,

    /// Print JSON, for scripts
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

fn neighbour() -> impl TypedValueParser<Value = Neighbour> {
    let known = PossibleValuesParser::new(Neighbour::ALL.map(Neighbour::name));
    known.try_map(|name| {
        Neighbour::ALL.into_iter().find(|it| it.name() == name).ok_or("no such program")
    })
}
