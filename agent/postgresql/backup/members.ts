// Asks the members how far they are.
import { lookup } from "node:dns/promises";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { maxMembers } from "../../../contract/limits";
import { versionIn } from "../../backups";
import { log, textOf } from "../../log";
import { withPeer } from "../server/peer";
import type { Credentials } from "../settings";
import { sourceAmong, type Member, type Source } from "./decide";
import { hostOf, type Place } from "./identity";

const deadlineMs = 600_000;
/** How long a replica is waited for that may still be on its way. */
const replicaMs = 60_000;
const pauseMs = 2_000;
const patienceMs = 15_000;

const position = `
  SELECT pg_is_in_recovery(),
    (CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_lsn() END - '0/0'::pg_lsn)::text,
    current_setting('server_version'),
    (SELECT system_identifier::text FROM pg_control_system())
`;
const Rows = z.tuple([z.tuple([z.boolean(), z.string().nullable(), z.string(), z.string()])]);

/** Waits for a primary, and a while for a replica that keeps up with it. Throws where there is no primary in time. */
export async function untilSource(place: Place, credentials: Credentials): Promise<Source> {
  const began = performance.now();
  for (;;) {
    const { members, reachable } = await ask(place, credentials);
    const source = sourceAmong(members);
    const since = performance.now() - began;
    const isAlone = reachable === 1;
    if (source !== undefined && (source.replica !== undefined || isAlone || since > replicaMs)) return source;
    if (since > deadlineMs) throw new Error(`no primary among ${reachable} members after ${deadlineMs / 1_000} s`);
    await delay(pauseMs);
  }
}

/** Those that answer; replicas first, as `sourceAmong` wants them. */
async function ask(place: Place, credentials: Credentials): Promise<{ members: readonly Member[]; reachable: number }> {
  const names = Array.from({ length: maxMembers }, (_, ordinal) => `${place.database}-${ordinal}`);
  const known = await Promise.all(names.map(async (name) => ((await hasAddress(hostOf(name, place))) ? [name] : [])));
  const present = known.flat();
  const first = await positions(present, place, credentials);
  const primaries = first.filter(({ isReplica }) => !isReplica).map(({ name }) => name);
  const again = await positions(primaries, place, credentials);
  return { members: [...first.filter(({ isReplica }) => isReplica), ...again], reachable: present.length };
}

const hasAddress = (host: string): Promise<boolean> =>
  lookup(host).then(
    () => true,
    () => false,
  );

async function positions(names: readonly string[], place: Place, credentials: Credentials): Promise<Member[]> {
  const asked = names.map(async (name): Promise<readonly Member[]> => {
    try {
      return [await positionOf(name, place, credentials)];
    } catch (error) {
      log("a member does not say how far it is", { member: name, why: textOf(error) });
      return [];
    }
  });
  return (await Promise.all(asked)).flat();
}

async function positionOf(name: string, place: Place, credentials: Credentials): Promise<Member> {
  const args = { host: hostOf(name, place), ...credentials, program: "backup", withinMs: patienceMs };
  const rows = await withPeer(args, (session) => session.rows(position));
  const [[isReplica, bytes, version, cluster]] = Rows.parse(rows);
  return { name, isReplica, position: Number(bytes ?? 0), version: versionIn(version) ?? version, cluster };
}
