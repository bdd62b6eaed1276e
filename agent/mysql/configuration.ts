// What the operator wants of the members, from the ConfigMap `<name>-config`.
import { escape } from "mysql2";
import { z } from "zod";
import type { MemberConfiguration } from "../../contract/member";

const Parameter = z.object({
  value: z.union([z.string(), z.number()]),
  /** Whether it takes effect only at a start of the server. */
  restart: z.boolean(),
});

/** Parameters of the server by name. */
export const Parameters = z.record(z.string(), Parameter);
export type Parameters = Readonly<z.infer<typeof Parameters>>;

/** From where the superuser may connect: only from its own pod, or from other pods as well. */
export const SuperuserAccess = z.enum(["Local", "Network"]);
export type SuperuserAccess = z.infer<typeof SuperuserAccess>;

/** The contents of the ConfigMap's key `member.json`. */
export const Configuration = z.object({
  /** How many members there are to be. */
  replicas: z.number().int().positive(),
  parameters: Parameters,
  /** Missing: it stays as it is. */
  superuserAccess: SuperuserAccess.optional(),
  /** Missing: binary logs are not kept beside backups. */
  archived: z.literal(true).optional(),
}) satisfies z.ZodType<MemberConfiguration>;
export type Configuration = z.infer<typeof Configuration>;
const bufferPool = "innodb_buffer_pool_size";

/** What prevents setting these in a pod with this many bytes of memory, whose server runs: the next pod may have room for them. */
export function roomProblem(wanted: Parameters, memory: number): string | undefined {
  const { value, restart } = wanted[bufferPool] ?? { value: 0, restart: true };
  if (restart || Number(value) < memory) return undefined;
  return `parameter ${bufferPool} waits for a pod with more memory: ${value} bytes are wanted, and this one has ${memory}`;
}

/** `wanted` without what the pod has no room for, which keeps its running value. */
export function withinRoom(wanted: Parameters, running: Parameters, memory: number): Parameters {
  if (roomProblem(wanted, memory) === undefined) return wanted;
  const others = Object.entries(wanted).filter(([name]) => name !== bufferPool);
  const present = Object.entries(running).filter(([name]) => name === bufferPool);
  return Object.fromEntries([...others, ...present]);
}

/** A statement that brings a running server to a new value. */
export interface Change {
  readonly parameter: string;
  readonly statement: string;
}

/** How a server that runs with `old` comes to have `wanted`, as far as it can without a restart. */
export function changesBetween(old: Parameters, wanted: Parameters): Change[] {
  const set = Object.entries(wanted)
    .filter(([name, { value, restart }]) => !restart && old[name]?.value !== value)
    .map(([name, { value }]) => change(name, typeof value === "number" ? String(value) : escape(value)));
  const removed = Object.entries(old)
    .filter(([name, { restart }]) => !restart && wanted[name] === undefined)
    .map(([name]) => change(name, "DEFAULT"));
  return [...set, ...removed];
}

const change = (parameter: string, value: string): Change => ({
  parameter,
  statement: `SET GLOBAL ${parameter} = ${value}`,
});
