//! Which form our state on disk has. A newer Bowline brings older state up, one step after the other;
//! an older one that finds newer state leaves it alone and says so.

use std::io;
use std::path::Path;

use super::{make_folder, read_start, write_whole};

/// A step makes state of one form into the next; the first is from form 1 to form 2. Steps may be cut
/// off by a power failure and are then done again, so each must bear that.
type Step = fn(&Path) -> io::Result<()>;

/// None yet: form 1 is all there has been.
const STEPS: &[Step] = &[];

const FILE: &str = "version";

/// Makes sure that state in `home` has the form that this program writes.
pub fn bring_up(home: &Path) -> Result<(), String> {
    with_steps(home, STEPS)
}

fn with_steps(home: &Path, steps: &[Step]) -> Result<(), String> {
    let newest = steps.len() + 1;
    let file = home.join(FILE);
    let form = match read_start(&file, 32) {
        // A folder that is not there has any form; whoever makes it stamps it.
        None if !home.is_dir() => return Ok(()),
        // State from before there was a number.
        None => 1,
        Some(text) => text.trim().parse().ok().filter(|form| *form > 0).ok_or_else(|| {
            format!("{} should hold a number; put it right, or delete it.", file.display())
        })?,
    };
    if form > newest {
        return Err(format!(
            "What is kept in {} was written by a newer Bowline (form {form}, this one knows \
             {newest}); update this one, or set BOWLINE_HOME to another folder.",
            home.display()
        ));
    }
    for (step, from) in steps.iter().zip(1..).skip(form - 1) {
        let failed = |error| format!("State of form {from} could not be brought up: {error}.");
        step(home).map_err(failed)?;
        write(home, from + 1).map_err(failed)?;
    }
    Ok(())
}

/// Says which form the state has that a session begins to keep, once it was brought up. A home that
/// cannot be written to is told by whoever needs it, with what that means there.
pub fn stamp(home: &Path) {
    if !home.join(FILE).exists() {
        let _ = make_folder(home).and_then(|_| write(home, STEPS.len() + 1));
    }
}

fn write(home: &Path, form: usize) -> io::Result<()> {
    write_whole(&home.join(FILE), |out| {
        use io::Write as _;
        writeln!(out, "{form}")
    })
    .map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(home: &Path, name: &str) -> io::Result<()> {
        std::fs::write(home.join(name), "")
    }

    const TWO: &[Step] = &[|home| mark(home, "one"), |home| mark(home, "two")];

    #[test]
    fn state_is_brought_up_step_by_step() {
        let check = |before: Option<&str>,
                     steps: &[Step],
                     expect: Result<&str, &str>,
                     made: &[&str]| {
            let folder = tempfile::tempdir().unwrap();
            let home = folder.path().join("home");
            if let Some(text) = before {
                std::fs::create_dir(&home).unwrap();
                if !text.is_empty() {
                    std::fs::write(home.join(FILE), text).unwrap();
                }
            }
            let done = with_steps(&home, steps);
            let form = std::fs::read_to_string(home.join(FILE)).unwrap_or_default();
            match expect {
                Ok(expect) => assert_eq!((done, form.trim()), (Ok(()), expect), "{before:?}"),
                Err(text) => assert!(done.clone().unwrap_err().contains(text), "{done:?}"),
            }
            for name in ["one", "two"] {
                assert_eq!(home.join(name).exists(), made.contains(&name), "{before:?}: {name}");
            }
        };
        check(None, STEPS, Ok(""), &[]);
        check(Some(""), STEPS, Ok(""), &[]);
        check(Some("1"), STEPS, Ok("1"), &[]);
        // A new home needs no steps, an old one all of them, one between the rest.
        check(None, TWO, Ok(""), &[]);
        check(Some(""), TWO, Ok("3"), &["one", "two"]);
        check(Some("2\n"), TWO, Ok("3"), &["two"]);
        check(Some("3"), TWO, Ok("3"), &[]);
        check(Some("4"), TWO, Err("newer Bowline (form 4, this one knows 3)"), &[]);
        check(Some("0"), TWO, Err("should hold a number"), &[]);
        check(Some("abc"), TWO, Err("should hold a number"), &[]);
    }

    #[test]
    fn a_new_home_is_stamped_once() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("home");
        stamp(&home);
        assert_eq!(std::fs::read_to_string(home.join(FILE)).unwrap(), "1\n");
        std::fs::write(home.join(FILE), "7").unwrap();
        stamp(&home);
        assert!(bring_up(&home).unwrap_err().contains("newer Bowline"));
    }

    #[test]
    fn a_step_that_fails_is_done_again() {
        let folder = tempfile::tempdir().unwrap();
        let broken: &[Step] = &[|home| mark(home, "one"), |_| Err(io::Error::other("no room"))];
        let done = with_steps(folder.path(), broken).unwrap_err();
        assert!(done.contains("State of form 2") && done.contains("no room"), "{done}");
        assert_eq!(with_steps(folder.path(), TWO), Ok(()));
        assert!(folder.path().join("two").exists());
    }
}
