// The protocol's types, as the server's own crate generates them, and what follows from its table of
// methods: which ones we send, which ones are sent to us, and what each of them carries.
import type { Methods } from "../../../protocol/schema/bowline";

export type * from "../../../protocol/schema/bowline";

type Sent<D extends string, K extends string> = {
  [M in keyof Methods]: Methods[M] extends { direction: D; kind: K } ? M : never;
}[keyof Methods];

/** Requests that we send. */
export type Request = Sent<"clientToServer", "request">;
/** Notifications that we send. */
export type Notification = Sent<"clientToServer", "notification">;
/** Requests that the server sends. */
export type ServerRequest = Sent<"serverToClient", "request">;
/** Notifications that the server sends. */
export type ServerNotification = Sent<"serverToClient", "notification">;

export type Params<M extends keyof Methods> = Methods[M]["params"];
export type Result<M extends Request | ServerRequest> = Methods[M] extends { result: infer R }
  ? R
  : never;
