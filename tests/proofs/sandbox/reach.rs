//! What a contained process reaches of the machine and the network: nothing, or our proxy.

use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::sync::Arc;

use exec::proxy::{Doorman, Proxy};
use exec::{Denial, Exit, Kind, Network};
use futures::future::BoxFuture;

use super::room::{Room, rooms};

async fn python(room: &Room, script: &str) -> String {
    room.run(&format!("python3 -c '{script}' 2>&1 | tail -n 1")).await.output
}

/// Services that act for whoever asks are asked by Unix sockets.
#[tokio::test]
async fn no_unix_socket_is_reached() {
    for room in rooms(&[]) {
        let path = room.root.join("src/socket");
        let _by_path = UnixListener::bind(&path).unwrap();
        let name = format!("bowline-proof-{}-{:?}", std::process::id(), room.kind());
        let _by_name =
            UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
        for address in [format!("\"{}\"", path.display()), format!("\"\\0{name}\"")] {
            let script = format!(
                "import socket; socket.socket(socket.AF_UNIX).connect({address}); print(1)"
            );
            let said = python(&room, &script).await;
            assert!(said.contains("PermissionError"), "{:?}: {said}", room.kind());
        }
        let script = "echo 'dial unix x.sock: socket: operation not permitted' >&2; exit 1";
        assert_eq!(room.run(script).await.denials, [Denial::UnixSocket], "{:?}", room.kind());
        let said = python(
            &room,
            "import socket; a, b = socket.socketpair(); a.send(b\"x\"); print(b.recv(1))",
        )
        .await;
        assert_eq!(said, "b'x'\n", "a pair is no way out");
        let said =
            python(&room, "import socket; socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)")
                .await;
        assert!(said.contains("PermissionError"), "{said}");
        for family in ["AF_PACKET, socket.SOCK_RAW", "AF_VSOCK", "AF_ALG, socket.SOCK_SEQPACKET"] {
            let said =
                python(&room, &format!("import socket; socket.socket(socket.{family}); print(1)"))
                    .await;
            assert!(said.contains("Error"), "{family}: {said}");
        }
    }
}

#[tokio::test]
async fn no_network_is_reached_when_it_is_off() {
    for room in rooms(&[]) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let port = listener.local_addr().unwrap().port();
        let done = room.run(&format!("exec 3<>/dev/tcp/127.0.0.1/{port}")).await;
        assert_ne!(done.status, Exit::Code(0), "{:?}", room.kind());
        assert!(listener.accept().is_err(), "{:?}", room.kind());
        let said =
            python(&room, "import socket; print(socket.getaddrinfo(\"example.com\", 80))").await;
        assert!(said.contains("gaierror") || said.contains("Error"), "{said}");
        let script = "import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.sendto(b\"x\", (\"8.8.8.8\", 53)); print(1)";
        assert!(python(&room, script).await.contains("Error"), "{:?}", room.kind());
    }
}

struct NoOne;

impl Doorman for NoOne {
    fn admit<'a>(
        &'a self,
        host: &'a policy::Host,
        _port: u16,
    ) -> BoxFuture<'a, Result<(), String>> {
        let why = format!("{host} is not allowed");
        Box::pin(async move { Err(why) })
    }
}

#[tokio::test]
async fn the_proxy_is_the_only_way_out_and_names_what_it_refused() {
    for mut room in rooms(&[]) {
        room.confinement.network = Network::Proxy(Proxy::new(Arc::new(NoOne)));
        let script = "echo $HTTPS_PROXY; exec 3<>/dev/tcp/127.0.0.1/3128 && printf 'CONNECT example.com:443 HTTP/1.1\\r\\nHost: example.com:443\\r\\n\\r\\n' >&3 && head -n 1 <&3";
        let done = room.run(script).await;
        if room.kind() == Kind::Landlock && done.status != Exit::Code(0) {
            // No namespace for the helper: then there is no network at all.
            assert!(done.denials.is_empty());
            let limits = room.confinement.sandbox.limits().unwrap();
            assert!(limits.contains("they reach no host"), "{limits}");
            continue;
        }
        assert!(done.stdout.contains("http://127.0.0.1:3128"), "{}", done.output);
        assert!(done.stdout.contains(" 403 "), "{:?}: {}", room.kind(), done.output);
        assert_eq!(done.denials, [Denial::Host { host: "example.com".to_owned(), port: 443 }]);
        let done = room.run("exec 3<>/dev/tcp/127.0.0.1/22").await;
        assert_ne!(done.status, Exit::Code(0));
    }
}
