// Patroni's dynamic configuration: what all members share and apply while they run.
import { archiveSlot } from "../../../contract/archive-note";
import { isArchived } from "../../archiving";
import { tlsFile } from "../../../contract/tls";
import type { Settings } from "../../settings";
import { hasTls, requiresTls } from "../../tls";
import { objectStorageOf } from "../../object-storage";
import type { StartParameters } from "../engine";
import { sortedByName } from "../sorted";
import { needingRestart } from "./parameters";
import { maxMembers } from "../../../contract/limits";
import { defaultConnections, sizedParametersOf } from "./sizes";

/** Directory of the server's sockets; a volume of the pod. */
export const socketDirectory = "/run/postgresql";

/**
 * Who may connect, and how. The superuser's processes in the pod are known by user, others by password. A cluster that was created
 * without the role `no_network` is from before it, and lets its superuser in over the network until it is configured not to (ADR 34).
 */
function hostBasedAuthenticationOf(settings: Settings): string[] {
  const { superuserAccess } = settings;
  const network = requiresTls(settings) ? "hostssl" : "host";
  return [
    "local all postgres peer",
    "local all all scram-sha-256",
    `${network} replication replicator all scram-sha-256`,
    ...(superuserAccess === "Network" ? [] : ["host all +no_network all reject"]),
    ...(superuserAccess === "Local" ? ["host all postgres all reject"] : []),
    // the exporter is in the pod, and has no name there that a certificate could be for
    ...(requiresTls(settings) ? ["127.0.0.1/32", "::1/128"].map((own) => `host all monitor ${own} scram-sha-256`) : []),
    `${network} all all all scram-sha-256`,
  ];
}

// Enough for ten members that stream, two backups and a spare each.
const streams = String(2 * maxMembers);

/** What brings WAL to object storage. pgBackRest refuses a command that is not named after it. */
function archiveParametersOf(settings: Settings): Readonly<Record<string, string>> {
  if (objectStorageOf(settings) === undefined) return {};
  return {
    archive_mode: "on",
    archive_command: "pgbackrest-archive %p",
    archive_timeout: `${settings.backup.everySeconds}s`,
  };
}

/** The certificate comes with the pod that has it: a server that is told of it elsewhere does not start. */
const tlsParametersOf = (settings: Settings): Readonly<Record<string, string>> =>
  hasTls(settings) ? { ssl: "on", ssl_cert_file: tlsFile("certificate"), ssl_key_file: tlsFile("key") } : {};

/** Parameters in effect, the user's over the computed ones, sorted by name. */
export function parametersOf(settings: Settings): Record<string, string> {
  const parameters: Record<string, string> = {
    // A node with huge pages that the pod has no share of would kill the server.
    huge_pages: "off",
    max_connections: defaultConnections,
    max_replication_slots: streams,
    max_wal_senders: streams,
    // Before a recovery the server syncs its data; file by file that takes seconds.
    recovery_init_sync_method: "syncfs",
    wal_level: "replica",
    // A member that fell silent is not waited for as long as by default: synchronous commits may wait for it.
    wal_receiver_timeout: "15s",
    wal_sender_timeout: "15s",
    ...sizedParametersOf(settings),
    ...settings.config,
    ...archiveParametersOf(settings),
    unix_socket_directories: socketDirectory,
  };
  return sortedByName(parameters);
}

/**
 * What comes with a member's pod: parameters that only a start applies, and those that follow from the pod's size. What users say of the
 * latter counts more, and reaches running members.
 */
export function startParametersOf(settings: Settings): StartParameters {
  const { archive_command: archive, ...parameters } = parametersOf(settings);
  // a server keeps all WAL that it has no command for: so the command comes and goes with the pods whose servers archive
  const withArchive: Readonly<Record<string, string>> = archive === undefined ? {} : { archive_command: archive };
  const effective: Readonly<Record<string, string>> = {
    ...needingRestart(parameters, settings.version),
    ...withArchive,
    ...tlsParametersOf(settings),
  };
  const all = sortedByName({ ...sizedParametersOf(settings, "pod"), ...effective });
  const isFixed = (name: string): boolean => Object.hasOwn(effective, name);
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, { value, restart: isFixed(name) }]));
}

/**
 * Parameters that Patroni takes from its dynamic configuration alone, as members must agree on them: it starts each server with them, whatever
 * files say. By the directory of the sockets it finds its own server.
 * Source: Patroni's documentation, "PostgreSQL parameters controlled by Patroni".
 */
const patronisOwn: ReadonlySet<string> = new Set([
  ...["max_connections", "max_locks_per_transaction", "max_worker_processes", "max_prepared_transactions"],
  ...["max_wal_senders", "max_replication_slots", "wal_level", "track_commit_timestamp", "unix_socket_directories"],
]);

/** What members share, and apply while they run: what a user says of a parameter of the pod's size as well. */
function sharedParametersOf(settings: Settings): Record<string, string> {
  const start = startParametersOf(settings);
  const isShared = (name: string): boolean =>
    patronisOwn.has(name) ||
    (start[name]?.restart !== true && (!Object.hasOwn(start, name) || Object.hasOwn(settings.config, name)));
  return Object.fromEntries(Object.entries(parametersOf(settings)).filter(([name]) => isShared(name)));
}

/**
 * The configuration as Patroni itself writes it (compact, ASCII, keys in this order): after a bootstrap Patroni stores
 * what it read, and any difference in spelling would look like a change by another client.
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
    synchronous_mode: synchronousModeOf(settings),
    ...synchronousDetailsOf(settings),
    ...startAndStopOf(settings),
    // Slots of subscribers and change streams belong to their owners; without this Patroni drops slots that it does not know.
    ignore_slots: [{ type: "logical" }],
    ...slotsOf(settings),
    postgresql: {
      use_pg_rewind: true,
      // A member that went another way than the primary and cannot be wound back is copied again from scratch: Patroni does that only
      // with a primary at hand that serves. What is thrown away was never confirmed by the others.
      remove_data_directory_on_rewind_failure: true,
      remove_data_directory_on_diverged_timelines: true,
      use_slots: true,
      parameters: sharedParametersOf(settings),
      pg_hba: hostBasedAuthenticationOf(settings),
    },
  });
}

/** On every member, so that the program which keeps WAL on the backup volume continues with a new primary where it was with the former one. */
const slotsOf = (settings: Settings): Readonly<Record<string, unknown>> =>
  isArchived(settings) ? { slots: { [archiveSlot]: { type: "physical" } } } : {};

/**
 * With three members and more any one replica confirms a commit, so that the loss of one stops no client. With two, the only
 * replica does, and Patroni lets commits continue without it as soon as it is seen to be gone.
 */
function synchronousModeOf({ synchronousCommit, replicas }: Settings): boolean | "quorum" {
  if (!synchronousCommit || replicas < 2) return false;
  return replicas > 2 ? "quorum" : true;
}

/**
 * Only what differs from Patroni's defaults, so that what it already has stays as it is. A number that is larger than that of the members that are there is
 * lowered by Patroni, with `synchronous_mode_strict` to 1 at least.
 * Source: Patroni's documentation, "Replication modes".
 */
function synchronousDetailsOf(settings: Settings): Readonly<Record<string, number | boolean>> {
  if (synchronousModeOf(settings) === false) return {};
  const { members, strict } = settings.synchronous;
  return {
    ...(members > 1 && { synchronous_node_count: members }),
    ...(strict && { synchronous_mode_strict: true }),
  };
}

/**
 * How long Patroni waits for a primary whose server starts again after a crash, and for one that stops. A synchronous
 * replica has all that was confirmed, so it takes over at once, or after a minute. Without one, waiting a while is
 * better than losing rows.
 */
function startAndStopOf(settings: Settings): Readonly<Record<string, number>> {
  const isSynchronous = synchronousModeOf(settings) !== false;
  return isSynchronous ? { primary_start_timeout: 0, primary_stop_timeout: 60 } : { primary_start_timeout: 60 };
}

/** Compact JSON in which every character beyond ASCII is escaped. */
function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(/[\u007f-\uffff]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
