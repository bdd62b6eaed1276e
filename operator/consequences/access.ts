// Who reaches the database, and what its deletion would do. Pure.
import { readOnlyServiceName } from "../../components/naming";
import type { ServerTls } from "../../contract/tls";
import { isStopped, stayingMembers, waitsForRoom, type Facts } from "./circumstances";
import { exposure, harmless, type Consequence } from "./consequence";
import { dynamic, fieldsIn, reload } from "./parameters";

export function readOnlyAccess({ find, name, members }: Facts): Consequence[] {
  const readOnly = find("Service", readOnlyServiceName(name));
  const isMoved = readOnly?.fields.some(({ path }) => path.startsWith("spec.selector")) === true;
  if (readOnly?.operation !== "update" || !isMoved) return [];
  return [harmless(`${readOnly.name} leads to ${members > 1 ? "the replicas" : "the primary"} from now on`)];
}

/** What follows from the new value of a field. */
const ofField =
  (field: string, following: Readonly<Record<string, Consequence>>) =>
  ({ asked }: Facts): Consequence[] => {
    const after = asked.find(({ path }) => path === field)?.after;
    const found = typeof after === "string" && Object.hasOwn(following, after) ? following[after] : undefined;
    return found === undefined ? [] : [found];
  };

/** Where PostgreSQL's servers are told who may connect, and how. */
const hostLines = `${dynamic}.postgresql.pg_hba`;

const superuser = ofField("spec.superuserAccess", {
  Network: harmless("the superuser may connect from every pod that may reach the database"),
  Local: harmless("the superuser connects from inside its member's pod only; connections that are open stay"),
});

/** The mode of TLS that is asked for, and the one before, where that was another one: be it that the spec says nothing of it. */
function tlsAsked({ specs: { before, after }, began }: Facts): Record<"from" | "to", ServerTls> | undefined {
  const [from, to] = [before?.tls?.mode ?? began, after.tls?.mode ?? began];
  return before === undefined || from === to ? undefined : { from, to };
}

/** Who connects without TLS. Members get from one mode to another by those between. */
export function tls(at: Facts): Consequence[] {
  const asked = tlsAsked(at);
  if (asked === undefined) return [];
  const isAdmitted = fieldsIn(at, hostLines).length > 0;
  const admitted = isAdmitted ? [reload("servers read again whom they admit; connections that are open stay", at)] : [];
  switch (asked.to) {
    case "Require":
      // before all members have a certificate none are refused: see below
      return isAdmitted
        ? [reload("connections over the network without TLS are refused from now on; those that are open stay", at)]
        : [];
    case "Prefer":
      return [
        asked.from === "Require"
          ? exposure("connections over the network without TLS are taken from now on")
          : harmless("connections over the network are taken with TLS and without, once members have a certificate"),
        ...admitted,
      ];
    case "Off":
      return [
        exposure("connections over the network are in clear, and clients that ask for TLS are refused"),
        ...admitted,
      ];
  }
}

const lastStep = {
  Require: "once all members have a certificate, connections without TLS are refused, and members restart again",
  Off: "once no member asks the others for a certificate, TLS ends, and members restart again",
} as const satisfies Readonly<Partial<Record<ServerTls, string>>>;

/** What follows by itself where the mode that is asked for, be it by an earlier edit, is two steps away: Prefer is next to both others. */
export function tlsInSteps(at: Facts): Consequence[] {
  const { specs, began, nextTls, members } = at;
  const wanted = specs.after.tls?.mode ?? began;
  if (nextTls === undefined || nextTls === wanted || wanted === "Prefer" || isStopped(at)) return [];
  const effect = members === 1 ? "Downtime" : "RollingRestart";
  return [{ effect, members: stayingMembers(at), ...waitsForRoom(at), message: lastStep[wanted] }];
}

/** Servers that ask a file of theirs who may connect read it again: PostgreSQL's. Others lock an account. */
export function superuserAccess(at: Facts): Consequence[] {
  const told = superuser(at);
  if (!fieldsIn(at, hostLines).length || (told.length === 0 && tlsAsked(at) !== undefined)) return told;
  const [
    { message } = { message: "servers admit others than before over the network; connections that are open stay" },
  ] = told;
  return [reload(message, at)];
}

export const deletionPolicy = ofField("spec.deletionPolicy", {
  Delete: exposure("a later deletion permanently removes data, backups and credentials"),
  Snapshot: harmless(
    "a later deletion takes a last backup, removes the data volumes, and keeps backups and credentials",
  ),
  Retain: harmless("a later deletion keeps data, backups and credentials"),
});
