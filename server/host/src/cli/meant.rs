//! What somebody meant who misspelt a command. A lone word could be a prompt, so only a word that is
//! nearly a command is taken for one.

use clap::CommandFactory as _;

use super::args::Args;

/// What to say when the first word is nearly a command. Whoever writes `--` before it means it.
pub(super) fn suggestion(words: impl IntoIterator<Item = String>) -> Option<String> {
    let first = words.into_iter().next().filter(|word| !word.starts_with('-'))?;
    let command = Args::command();
    let names: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
    if names.contains(&first.as_str()) || first.contains(char::is_whitespace) {
        return None;
    }
    let meant = extend::nearest(&first, &names)?;
    Some(format!(
        "There is no command `{first}`; did you mean `bowline {meant}`? As a prompt it is \
         `bowline -- {first}`."
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_is_nearly_a_command() {
        let check = |line: &str, expect: Option<&str>| {
            let found = suggestion(line.split(' ').map(str::to_owned));
            let meant = found.as_deref().and_then(|text| text.split('`').nth(3));
            assert_eq!(meant, expect, "{line}");
        };
        check("sesions", Some("bowline sessions"));
        check("sesions list --all", Some("bowline sessions"));
        check("docter", Some("bowline doctor"));
        check("serv", Some("bowline serve"));
        check("serve --stdio", None);
        check("hello", None);
        check("explain", None);
        check("-- serv", None);
        check("-p serv", None);
        assert_eq!(suggestion(["serv it well".to_owned()]), None);
    }
}
