// MongoDB as a replica set, from one member to ten: a single member is a set that has not grown yet.
import { memberKey } from "../../contract/member";
import { ports } from "../member";
import { configMapName, consensusMapNames, memberNames } from "../naming";
import type { Settings } from "../settings";
import type { Connection, Engine } from "./engine";
import { bounds, groupOf, groups } from "./mongodb/classes";
import { tables } from "./mongodb/known-parameters";
import { backupProgram, initProgram, memberPod, restoreProgram, verifyProgram } from "./mongodb/containers";
import { memoryProblems } from "./mongodb/memory";
import { startParametersOf, memberConfigurationOf } from "./mongodb/configuration";
import { parameterProblems } from "./mongodb/parameters";

/** What the members use. Listing cannot be limited to names; everything that changes something is. */
function accessRules({ name }: Settings): ReturnType<Engine["accessRules"]> {
  return [
    { apiGroups: [""], resources: ["pods"], verbs: ["list"] },
    { apiGroups: [""], resources: ["pods"], resourceNames: memberNames(name), verbs: ["patch"] },
    { apiGroups: [""], resources: ["configmaps"], resourceNames: [configMapName(name)], verbs: ["get"] },
    {
      apiGroups: [""],
      resources: ["configmaps"],
      resourceNames: consensusMapNames(name, "mongodb"),
      verbs: ["get", "patch"],
    },
  ];
}

/** A seed list: the driver finds the primary itself, and follows it when it changes. */
function uri({ username, password, members, database }: Connection, { name }: Settings): string {
  const [user, secret, path] = [username, password, database].map(encodeURIComponent);
  const seeds = members.map((host) => `${host}:${ports.mongodb.port}`).join(",");
  return `mongodb://${user}:${secret}@${seeds}/${path}?replicaSet=${name}`;
}

/** The engine `mongodb`. */
export const mongodb: Engine = {
  name: "mongodb",
  ports: { client: ports.mongodb, members: [ports.agent], metrics: ports.metrics },
  exported: {
    replicationLag: { kind: "seconds", metric: "mongodb_replication_lag_seconds" },
    connections: undefined,
  },
  electedBy: "majority",
  uri,
  parameters: { tables, groups, groupOf, bounds },
  parameterProblems,
  memoryProblems,
  startParameters: startParametersOf,
  configuration: (settings) => ({ data: { [memberKey]: memberConfigurationOf(settings) } }),
  accessRules,
  memberPod,
  initProgram,
  backupProgram,
  restoreProgram,
  verifyProgram,
};
