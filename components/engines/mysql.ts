// MySQL with Group Replication, from one member to nine: a single member is a group that has not grown yet.
import { memberKey } from "../../contract/member";
import { ports } from "../member";
import { configMapName, consensusMapNames, memberNames } from "../naming";
import type { Settings } from "../settings";
import type { ConfigObject, Connection, Engine } from "./engine";
import { bounds, groupOf, groups } from "./mysql/classes";
import { tables } from "./mysql/known-parameters";
import { application, backupContainer, initContainer, memberPod } from "./mysql/containers";
import { memberConfigurationOf, startParametersOf } from "./mysql/configuration";
import { memoryProblems } from "./mysql/memory";
import { parameterProblems } from "./mysql/parameters";

/** What the members read, and the record of their group, which they fill in. */
function configObjects(settings: Settings): ConfigObject[] {
  const { name } = settings;
  const configuration = { name: configMapName(name), data: { [memberKey]: memberConfigurationOf(settings) } };
  return [configuration, ...consensusMapNames(name, "mysql").map((map) => ({ name: map }))];
}

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
  application,
  uri,
  parameters: { tables, groups, groupOf, bounds },
  parameterProblems,
  memoryProblems,
  startParameters: startParametersOf,
  configObjects,
  accessRules,
  memberPod,
  initContainer,
  backupContainer,
};
