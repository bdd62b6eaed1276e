// What goes over the pipes of a resident Pulumi, one JSON value a line; README.md of the root's resident/ is its other end's account.
import type { EngineEvent } from "@pulumi/pulumi/automation";
import { z } from "zod";

export type Operation = "up" | "destroy" | "preview" | "preview-destroy";

/** One run that is asked for. */
export interface RunCall {
  readonly operation: Operation;
  readonly project: string;
  readonly stack: string;
  /** JSON text of the state to begin with. */
  readonly checkpoint: string;
  /** Salt of the stack's secrets. */
  readonly salt: string;
  /** Where the program is hosted. */
  readonly program: string;
  readonly refresh: boolean;
  /** Objects that creations may adopt, as `Kind name`, by UID; undefined: what they find. */
  readonly existing?: Readonly<Record<string, string>> | undefined;
  /** Whether steps that change something carry the values of their resources. */
  readonly details: boolean;
}

/** The line that begins a conversation. */
export const configureLine = (passphrase: string): string => JSON.stringify({ configure: { passphrase } });

/** The line that asks for a run. The state is JSON already: it goes in as it is. */
export function runLine(id: string, { checkpoint, ...call }: RunCall): string {
  const head = JSON.stringify({ id, run: call });
  return `${head.slice(0, -2)},"checkpoint":${checkpoint}}}`;
}

/** The line that ends a run: `graceful` lets requests in flight finish. */
export const cancelLine = (id: string, cancel: "graceful" | "forced"): string => JSON.stringify({ id, cancel });

/** The line that keeps providers from writing from that time on. */
export const writeUntilLine = (time: Date): string => JSON.stringify({ writeUntil: time.getTime() });

export const pingLine = JSON.stringify({ ping: "" });

const Ready = z.object({ ready: z.object({ pulumi: z.string(), pid: z.number() }) });
const Pong = z.object({ pong: z.string(), runs: z.number(), active: z.number(), rss: z.number() });
const Event = z.object({
  id: z.string(),
  event: z.custom<EngineEvent>((value) => typeof value === "object" && value !== null),
});
const Done = z.object({
  id: z.string(),
  done: z.object({
    result: z.enum(["succeeded", "failed", "cancelled", "corrupt", "busy", "invalid"]),
    message: z.string().default(""),
    checkpoint: z.unknown(),
  }),
});

/** How a run ended. */
export interface Done {
  readonly result: z.infer<typeof Done>["done"]["result"];
  /** Why it did not succeed. */
  readonly message: string;
  /** JSON text of the state that it left; undefined where it was never opened, and for previews. */
  readonly checkpoint: string | undefined;
}

/** How the process fares. */
export interface Pong {
  /** Runs since it began. */
  readonly runs: number;
  /** Memory of its own, in bytes. */
  readonly rss: number;
}

export type Answer =
  | { readonly kind: "ready"; readonly pulumi: string }
  | { readonly kind: "pong"; readonly pong: Pong }
  | { readonly kind: "event"; readonly id: string; readonly event: EngineEvent }
  | { readonly kind: "done"; readonly id: string; readonly done: Done };

/** Reads one line. Throws on what is no answer. */
export function answerOf(line: string): Answer {
  const value: unknown = JSON.parse(line);
  const event = Event.safeParse(value);
  if (event.success) return { kind: "event", ...event.data };
  const done = Done.safeParse(value);
  if (done.success) return { kind: "done", id: done.data.id, done: doneOf(done.data) };
  const pong = Pong.safeParse(value);
  if (pong.success) return { kind: "pong", pong: pong.data };
  const { ready } = Ready.parse(value);
  return { kind: "ready", pulumi: ready.pulumi };
}

function doneOf({ done: { result, message, checkpoint } }: z.infer<typeof Done>): Done {
  const text = checkpoint === null || checkpoint === undefined ? undefined : JSON.stringify(checkpoint);
  return { result, message, checkpoint: text };
}
