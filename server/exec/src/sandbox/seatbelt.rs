//! A layout as a profile of macOS, which `sandbox-exec` enforces.
//!
//! The last rule that fits counts. Rules are about paths and not about what is there, so what is
//! missing is guarded as well, and no stub is needed. Nothing may be asked of other programs (no
//! Apple events, no launch services), and the few system services that every process needs are
//! named one by one.

#[cfg(test)]
mod tests;

use std::fmt::Write as _;
use std::path::Path;

use super::Nearby;
use super::layout::{Access, Layout};

/// What a contained process reaches of the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    Nothing,
    /// These ports of the machine itself, where our proxy listens.
    Doors([u16; 2]),
    Everything,
}

const START: &str = r#"(version 1)
(deny default)
(allow process-exec process-fork)
(allow signal (target same-sandbox))
(allow process-info* (target same-sandbox))
(allow sysctl-read)
(allow file-read* file-test-existence file-map-executable)
(allow file-ioctl (literal "/dev/null") (literal "/dev/zero") (literal "/dev/ptmx") (regex #"^/dev/ttys[0-9]+$"))
(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/ptmx") (regex #"^/dev/ttys[0-9]+$"))
(allow pseudo-tty)
(allow ipc-posix-sem)
(allow user-preference-read)
(allow mach-lookup
  (global-name "com.apple.system.opendirectoryd.libinfo")
  (global-name "com.apple.system.notification_center")
  (global-name "com.apple.system.logger")
  (global-name "com.apple.logd")
  (global-name "com.apple.trustd.agent"))
"#;

/// For the user's own programs: everything but what the layout takes away. They may ask other
/// programs, such as the keychain.
const START_OF_OWN: &str = "(version 1)\n(allow default)\n";

pub(crate) fn profile(layout: &Layout, reach: Reach, nearby: &Nearby) -> String {
    let mut text = START.to_owned();
    add_places(&mut text, layout);
    if nearby.all_unix_sockets {
        text.push_str("(allow system-socket (socket-domain AF_UNIX))\n");
        text.push_str("(allow network-outbound (remote unix-socket))\n");
    }
    for socket in nearby.unix_sockets.iter().filter(|_| !nearby.all_unix_sockets) {
        let path = quoted(socket);
        let _ =
            writeln!(text, "(allow network-outbound (remote unix-socket (path-literal {path})))");
    }
    if nearby.local_binding {
        text.push_str("(allow network-bind network-inbound (local ip \"localhost:*\"))\n");
    }
    match reach {
        Reach::Nothing => {}
        Reach::Doors(ports) => {
            for port in ports {
                let _ = writeln!(text, "(allow network-outbound (remote ip \"localhost:{port}\"))");
            }
        }
        Reach::Everything => text.push_str("(allow network* system-socket)\n"),
    }
    text
}

pub(crate) fn profile_of_own(layout: &Layout) -> String {
    let mut text = START_OF_OWN.to_owned();
    add_places(&mut text, layout);
    text
}

fn add_places(text: &mut String, layout: &Layout) {
    // What lies in a hidden folder has to be opened for reading again.
    let shown = |path: &Path| path.parent().is_some_and(|parent| !layout.may_read(parent));
    for (place_path, place) in layout.places() {
        let path = quoted(place_path);
        let rule = match place.access {
            Access::Write if shown(place_path) => {
                format!("(allow file-read* file-write* (subpath {path}))")
            }
            Access::Read if shown(place_path) => format!("(allow file-read* (subpath {path}))"),
            Access::Write => format!("(allow file-write* (subpath {path}))"),
            Access::Read => format!("(deny file-write* (subpath {path}))"),
            Access::HiddenFolder | Access::HiddenFile => {
                format!("(deny file-read* file-write* (subpath {path}))")
            }
        };
        text.push_str(&rule);
        text.push('\n');
    }
    // The folders above a guarded one can be written into, but neither moved nor removed.
    for (path, _) in layout.places().filter(|(_, place)| place.access == Access::Write) {
        let _ = writeln!(text, "(deny file-write-unlink (literal {}))", quoted(path));
    }
}

/// A string of the profile's language.
fn quoted(path: &Path) -> String {
    let text = path.to_string_lossy();
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
