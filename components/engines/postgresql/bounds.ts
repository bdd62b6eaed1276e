// Values of PostgreSQL's parameters that are refused of parameters that are taken otherwise, each with what it would do.
import type { ParameterBound } from "../parameter-classes";
import type { ParameterKind } from "./values";

/** `min` in milliseconds. */
const forPatroni = (min: number): ParameterBound<ParameterKind> => ({
  class: "locksOut",
  reason: "sessions of Patroni have it, too, and the database would not start; set it for roles: ALTER ROLE app SET …",
  within: { min },
  or: 0,
});
const twoSegments: ParameterBound<ParameterKind> = {
  class: "locksOut",
  reason: "two segments of WAL must fit, or the server does not start",
  within: { min: 32 },
};
const ofLocales: ParameterBound<ParameterKind> = {
  class: "locksOut",
  reason: "the images have no other locales, and the server would not start",
  within: { type: "enum", values: ["C", "C.UTF-8", "C.utf8", "POSIX"] },
};
const ofImage = "libraries come from the image alone, and are named without a path";

/** Values that are refused though the server knows them. */
export const bounds: ReadonlyMap<string, ParameterBound<ParameterKind>> = new Map(
  Object.entries<ParameterBound<ParameterKind>>({
    max_connections: {
      class: "locksOut",
      reason: "replication among ten members, backups and the programs of the members need connections, too",
      within: { min: 25 },
    },
    superuser_reserved_connections: {
      class: "locksOut",
      reason: "Patroni must be able to connect where applications use all other connections",
      within: { min: 3 },
    },
    max_wal_senders: { class: "locksOut", reason: "ten members and a backup stream", within: { min: 12 } },
    max_replication_slots: { class: "locksOut", reason: "each member has a slot", within: { min: 12 } },
    max_worker_processes: {
      class: "locksOut",
      reason: "Patroni replaces a lower value with its own default",
      within: { min: 2 },
    },
    max_locks_per_transaction: {
      class: "locksOut",
      reason: "Patroni replaces a lower value with its own default",
      within: { min: 32 },
    },
    wal_keep_size: {
      class: "locksOut",
      reason: "Patroni replaces a lower value with its own default",
      within: { min: 16 },
    },
    wal_receiver_status_interval: {
      class: "locksOut",
      reason:
        "replicas would confirm nothing: synchronous commits would wait forever, and the primary would keep its WAL",
      within: { min: 1, max: 60 },
    },
    wal_sender_timeout: {
      class: "locksOut",
      reason: "connections of replicas would end before they can send anything",
      within: { min: 1_000 },
      or: 0,
    },
    wal_receiver_timeout: {
      class: "locksOut",
      reason: "connections of replicas would end before they can send anything",
      within: { min: 1_000 },
      or: 0,
    },
    max_wal_size: twoSegments,
    min_wal_size: twoSegments,
    wal_retrieve_retry_interval: {
      class: "locksOut",
      reason: "a replica that has lost its connection would be down for as long",
      within: { max: 60_000 },
    },
    temp_file_limit: {
      class: "locksOut",
      reason: "the list of files that a copy or a backup begins with counts, and members could not be copied",
      within: { min: 100 * 1024 },
      or: -1,
    },
    tcp_user_timeout: {
      class: "locksOut",
      reason: "connections would end over one lost packet",
      within: { min: 1_000 },
      or: 0,
    },
    authentication_timeout: {
      class: "locksOut",
      reason: "a busy member could refuse every connection",
      within: { min: 5 },
    },
    scram_iterations: {
      class: "locksOut",
      reason: "each log-in computes that many, the server's and the members' own ones included",
      within: { max: 100_000 },
    },
    statement_timeout: forPatroni(1_000),
    transaction_timeout: forPatroni(1_000),
    idle_in_transaction_session_timeout: forPatroni(1_000),
    idle_session_timeout: forPatroni(10_000),
    lock_timeout: forPatroni(100),
    lc_messages: ofLocales,
    lc_monetary: ofLocales,
    lc_numeric: ofLocales,
    lc_time: ofLocales,
    password_encryption: {
      class: "locksOut",
      reason: "the members' own roles log in with it, and their passwords are set by it",
      within: { values: ["scram-sha-256"] },
    },
    synchronous_commit: {
      class: "losesData",
      reason: "commits that were confirmed would be lost in a crash; set it for roles or sessions that can accept that",
      within: { values: ["local", "remote_write", "remote_apply", "on"] },
    },
    wal_level: { class: "locksOut", reason: "replicas need it", within: { values: ["replica", "logical"] } },
    shared_preload_libraries: { class: "escapes", reason: ofImage, excludes: "/" },
    session_preload_libraries: { class: "escapes", reason: ofImage, excludes: "/" },
    jit: { class: "owned", reason: "the images have no compiler for it", within: { type: "enum", values: ["off"] } },
    io_method: {
      class: "locksOut",
      reason: "the security profile of the pods forbids the kernel's io_uring, and the server would not start",
      within: { values: ["sync", "worker"] },
    },
    max_stack_depth: {
      class: "locksOut",
      reason: "the stack of a process is 8 MiB, and with more than fits into it the server does not start",
      within: { max: 7_680 },
    },
    log_destination: {
      class: "owned",
      reason: "logs go to the pod's log",
      within: { type: "enum", values: ["stderr"] },
    },
  }),
);
