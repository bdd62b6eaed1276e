// What the pod of a member looks like to those that look at it: its ports, its user, and what its annotations say.
import { byEngine, engines } from "../contract/engines";
import { backupServer } from "../contract/object-storage";
import { keyPrefix } from "../contract/resources";

/**
 * The pod annotation in which each member's consensus agent says how its server fares: JSON, of which `state` and `replication_state`
 * (of a replica that streams: "streaming") are read. The other pod annotations are not looked at: agents write them at every turn.
 */
export const memberStateAnnotation = "status";

/** States of a server that did not come up. One that recovers after a crash is in none of them, however long it takes. */
export const failedState = /^(start|restart|initdb) failed\b/;

/** The state of a member whose server runs, and with which a person must decide how it continues; the annotation's `message` says why. */
export const undecidedState = "undecided";

/**
 * The parameters that a member starts with, in its pod: what runs keeps them, whatever is wanted meanwhile, and a change of them makes the
 * members restart one after the other. The pod's annotation has them, and the file shows them to the member's programs.
 */
export const startParameters = {
  annotation: `${keyPrefix}/start-parameters`,
  volume: "start-parameters",
  directory: "/etc/database",
  file: "start-parameters",
} as const;

/** Names and numbers of the ports, the same in containers, Services and policies. Those of engines are where clients connect. */
export const ports = {
  ...byEngine((name) => ({ name, port: engines[name].port })),
  patroni: { name: "patroni", port: 8008 },
  agent: { name: "agent", port: 8009 },
  metrics: { name: "metrics", port: 9187 },
  backup: { name: "backup", port: backupServer.port },
} as const;

/** User and group that every container of a Database runs as. */
export const userId = 999;
