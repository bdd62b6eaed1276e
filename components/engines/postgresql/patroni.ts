// Patroni's dynamic configuration: what all members share and take over while they run.
import { mostMembers } from "../../naming";
import type { Resources, Settings } from "../../settings";
import { needingRestart } from "./parameters";

/** Directory of the server's sockets; a volume of the pod. */
export const socketDirectory = "/run/postgresql";

/** Who may connect, and how. The superuser's own processes in the pod are known by their user, all others by password. */
const hostBasedAuthentication = [
  "local all postgres peer",
  "local all all scram-sha-256",
  "host replication replicator all scram-sha-256",
  "host all all all scram-sha-256",
];

// Enough for ten members that stream, two backups and a spare each.
const streams = String(2 * mostMembers);

/** Parameters in effect, the user's over the computed ones, sorted by name. */
export function parametersOf(settings: Settings): Record<string, string> {
  const parameters: Record<string, string> = {
    // A node with huge pages that the pod has no share of would kill the server.
    huge_pages: "off",
    max_connections: "100",
    max_replication_slots: streams,
    max_wal_senders: streams,
    wal_level: "replica",
    ...memoryParametersOf(settings.resources),
    ...settings.config,
    unix_socket_directories: socketDirectory,
  };
  return Object.fromEntries(Object.entries(parameters).sort(([left], [right]) => (left < right ? -1 : 1)));
}

/** A quarter of the memory for shared buffers; the planner may assume that three quarters hold cached data. */
function memoryParametersOf(resources: Resources): Record<string, string> {
  const quantity = resources.limits?.["memory"] ?? resources.requests?.["memory"];
  const mebibytes = quantity === undefined ? undefined : mebibytesOf(quantity);
  if (mebibytes === undefined || mebibytes < 128) return {};
  return {
    shared_buffers: `${Math.floor(mebibytes / 4)}MB`,
    effective_cache_size: `${Math.floor((mebibytes * 3) / 4)}MB`,
  };
}

const memoryUnits: Readonly<Record<string, number>> = {
  "": 1 / 1024 ** 2,
  k: 1000 / 1024 ** 2,
  M: 1000 ** 2 / 1024 ** 2,
  G: 1000 ** 3 / 1024 ** 2,
  T: 1000 ** 4 / 1024 ** 2,
  Ki: 1 / 1024,
  Mi: 1,
  Gi: 1024,
  Ti: 1024 ** 2,
};

/** A Kubernetes memory quantity in mebibytes, or nothing when it is written in a way that is not worth reading. */
export function mebibytesOf(quantity: string): number | undefined {
  const [, digits, unit] = /^(\d+(?:\.\d+)?)(k|M|G|T|Ki|Mi|Gi|Ti)?$/.exec(quantity) ?? [];
  if (digits === undefined) return undefined;
  const factor = memoryUnits[unit ?? ""];
  return factor === undefined ? undefined : Number(digits) * factor;
}

/** The parameters in effect that need a restart. */
export function restartParametersOf(settings: Settings): Record<string, string> {
  return needingRestart(parametersOf(settings), settings.version);
}

/**
 * The configuration as Patroni itself writes it (compact, ASCII, keys in this order): after a bootstrap Patroni stores
 * what it read, and any difference in spelling would look like a change made by someone else.
 */
export function dynamicConfigurationOf(settings: Settings): string {
  return asciiJson({
    // A primary that cannot renew its lease for 20 s, the least that Patroni allows, is replaced. A member that stops or
    // whose server dies gives the lease back at once.
    ttl: 20,
    loop_wait: 5,
    retry_timeout: 5,
    maximum_lag_on_failover: 1_048_576,
    // An outage of the Kubernetes API alone must not take the primary down while it reaches all members.
    failsafe_mode: true,
    synchronous_mode: settings.synchronousCommit && settings.replicas > 1,
    postgresql: {
      use_pg_rewind: true,
      use_slots: true,
      parameters: parametersOf(settings),
      pg_hba: hostBasedAuthentication,
    },
  });
}

/** Compact JSON in which every character beyond ASCII is escaped. */
function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(/[\u007f-\uffff]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
