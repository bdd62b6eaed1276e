// What is remembered of a Database's TLS, and which of its modes members can have next: pure.
import { z } from "zod";
import { serverTlsModes, type ServerTls } from "../../contract/tls";
import type { Desired } from "./desired";

const Mode = z.enum(serverTlsModes);

/** What members are known by, as it was issued last. Times are RFC 3339. */
export const Issuance = z.object({
  /** When something of it is due again. */
  due: z.string(),
  /** From when on the certificate is good: in the future, where a clock was wrong. */
  certificateFrom: z.string(),
  /** Until when the certificate is good. */
  certificateUntil: z.string(),
  /** The same, of the newest authority. */
  authorityUntil: z.string(),
});
export type Issuance = Readonly<z.infer<typeof Issuance>>;

/** What is remembered. */
export const TlsRecord = z.object({
  /** Where the spec says nothing: what the Database began with. */
  began: Mode,
  /** What the last run declared, be it that it failed. Missing before. */
  declared: Mode.optional(),
  /** The last one that all members had. Missing before there were any. */
  reached: Mode.optional(),
  issued: Issuance.optional(),
  /** Since when members show, and clients can read, what the last run that succeeded published, by fingerprints. */
  published: z.record(z.string(), z.string()).optional(),
});
export type TlsRecord = Readonly<z.infer<typeof TlsRecord>>;

const rankOf = (mode: ServerTls): number => serverTlsModes.indexOf(mode);

/**
 * The mode that members get next on their way to `wanted`: never more than one step from any that a member may have, as none may ask of the
 * others what they do not have.
 */
export function nextMode(wanted: ServerTls, { declared, reached = declared }: Omit<TlsRecord, "began">): ServerTls {
  if (declared === undefined || reached === undefined) return wanted;
  const ranks = [rankOf(declared), rankOf(reached)];
  const next = Math.min(Math.max(rankOf(wanted), Math.max(...ranks) - 1), Math.min(...ranks) + 1);
  return serverTlsModes[next] ?? wanted;
}

/** What the Database asks for. */
export const wantedMode = ({ spec }: Pick<Desired, "spec">, { began }: Pick<TlsRecord, "began">): ServerTls =>
  spec.tls?.mode ?? began;

/** What a run declares. */
export const modeOf = ({ tls, spec }: Pick<Desired, "tls" | "spec">): ServerTls => tls ?? spec.tls?.mode ?? "Off";

/** Whether something of what was issued must be issued again. */
export const isDue = (tls: TlsRecord | undefined, now: Date): boolean =>
  tls?.declared !== undefined &&
  tls.declared !== "Off" &&
  tls.issued !== undefined &&
  (Date.parse(tls.issued.due) <= now.getTime() || Date.parse(tls.issued.certificateFrom) > now.getTime());
