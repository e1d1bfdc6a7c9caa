//! A keybindings file to begin with: every action with its usual keys, as comments.

use std::fmt::Write as _;

use super::{CONTEXTS, Keymap, ROWS};

pub(crate) fn template(keymap: &Keymap) -> String {
    let mut text = String::from(
        "// Keys of Bowline's terminal client. It reads this file again whenever it changes.\n\
         // Take the comment signs away from a line to begin with it. A key that is to do nothing\n\
         // has null for an action; keys may follow one another: \"ctrl+x ctrl+e\".\n\
         // ctrl+c and ctrl+d always stop and leave.\n\
         {\n  \"bindings\": [\n",
    );
    for (context, name, what) in CONTEXTS {
        // Writing to a String cannot fail.
        let _ = write!(
            text,
            "    // {what}\n    {{\n      \"context\": \"{name}\",\n      \"bindings\": {{\n"
        );
        let rows = ROWS.iter().enumerate().filter(|(_, row)| row.context == context);
        for (at, row) in rows {
            for keys in keymap.keys_of(at) {
                let pair = format!("\"{keys}\": \"{}\",", row.name);
                let _ = writeln!(text, "        // {pair:<48} // {}", row.what);
            }
        }
        text.push_str("      }\n    },\n");
    }
    text.push_str("  ]\n}\n");
    text
}
