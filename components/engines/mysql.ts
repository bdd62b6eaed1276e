// MySQL with Group Replication, from one member to nine: a single member is a group that has not grown yet.
import { memberKey } from "../../contract/member";
import { ports } from "../member";
import { configMapName, consensusMapNames, memberNames } from "../naming";
import type { Settings } from "../settings";
import type { Connection, Engine } from "./engine";
import { bounds, groupOf, groups } from "./mysql/classes";
import { tables } from "./mysql/known-parameters";
import {
  archiveProgram,
  backupProgram,
  initProgram,
  memberPod,
  restoreProgram,
  verifyProgram,
} from "./mysql/containers";
import { memberConfigurationOf, startParametersOf } from "./mysql/configuration";
import { memoryProblems } from "./mysql/memory";
import { parameterProblems } from "./mysql/parameters";

/** What the agents use: nothing is listed, and every object is named. */
function accessRules({ name }: Settings): ReturnType<Engine["accessRules"]> {
  const record = consensusMapNames(name, "mysql");
  return [
    { apiGroups: [""], resources: ["pods"], resourceNames: memberNames(name), verbs: ["patch"] },
    { apiGroups: [""], resources: ["configmaps"], resourceNames: [configMapName(name)], verbs: ["get"] },
    { apiGroups: [""], resources: ["configmaps"], resourceNames: record, verbs: ["get", "patch"] },
  ];
}

function uri({ username, password, host, database }: Connection): string {
  const [user, secret] = [encodeURIComponent(username), encodeURIComponent(password)];
  return `mysql://${user}:${secret}@${host}:${ports.mysql.port}/${encodeURIComponent(database)}`;
}

/** The engine `mysql`. */
export const mysql: Engine = {
  name: "mysql",
  ports: { client: ports.mysql, members: [ports.agent], metrics: ports.metrics },
  exported: {
    replicationLag: {
      kind: "commit time",
      metric: "mysql_perf_schema_applying_transaction_original_commit_timestamp_seconds",
    },
    // a limit for all, and a lower one for each user but the superuser: the application meets that
    connections: {
      kind: "several limits",
      used: "mysql_global_status_threads_connected",
      limits: /mysql_global_variables_max_(user_)?connections/,
    },
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
  archiveProgram,
  restoreProgram,
  verifyProgram,
};
