// PostgreSQL under Patroni, from one member to ten: a single member is a cluster that has not grown yet.
import { removalKey } from "../../contract/kept-files";
import { majorOf } from "../../contract/versions";
import { ports } from "../member";
import { configMapName, consensusMapNames, memberNames } from "../naming";
import { clientAuthorityFile } from "../../contract/tls";
import type { Settings } from "../settings";
import { requiresTls } from "../tls";
import type { Connection, Engine } from "./engine";
import { bounds } from "./postgresql/bounds";
import { groupOf, groups } from "./postgresql/classes";
import { fixedGroup, tables } from "./postgresql/known-parameters";
import {
  archiveProgram,
  backupProgram,
  initProgram,
  memberPod,
  restoreProgram,
  verifyProgram,
} from "./postgresql/containers";
import { upgradeProgram } from "./postgresql/upgrade";
import { memoryProblems } from "./postgresql/memory";
import { toldProblems } from "./postgresql/told";
import { parameterProblems } from "./postgresql/parameters";
import { dynamicConfigurationOf, startParametersOf } from "./postgresql/configuration";

/** What Patroni uses. Listing and watching cannot be limited to names; everything that changes something is. */
function accessRules({ name }: Settings): ReturnType<Engine["accessRules"]> {
  const configMaps = [configMapName(name), ...consensusMapNames(name, "postgresql")];
  return [
    { apiGroups: [""], resources: ["pods"], verbs: ["list", "watch"] },
    { apiGroups: [""], resources: ["pods"], resourceNames: memberNames(name), verbs: ["patch"] },
    { apiGroups: [""], resources: ["configmaps"], verbs: ["list", "watch"] },
    { apiGroups: [""], resources: ["configmaps"], resourceNames: configMaps, verbs: ["get", "patch"] },
  ];
}

/** Drivers read `require` in different ways, so that one that finds no authority to check by is told to fail. */
function uri({ username, password, host, database }: Connection, settings: Settings): string {
  const [user, secret] = [encodeURIComponent(username), encodeURIComponent(password)];
  const place = `postgresql://${user}:${secret}@${host}:${ports.postgresql.port}/${encodeURIComponent(database)}`;
  return requiresTls(settings) ? `${place}?sslmode=verify-full&sslrootcert=${clientAuthorityFile}` : place;
}

/** The engine `postgresql`. */
export const postgresql: Engine = {
  name: "postgresql",
  ports: { client: ports.postgresql, members: [ports.patroni], metrics: ports.metrics },
  exported: {
    replicationLag: { kind: "seconds", metric: "pg_replication_lag_seconds" },
    connections: {
      kind: "one limit",
      used: "pg_stat_database_numbackends",
      limit: "pg_settings_max_connections",
    },
  },
  electedBy: "lease",
  uri,
  parameters: { tables, groups: [...groups, fixedGroup], groupOf, bounds },
  parameterProblems,
  memoryProblems: (settings) => [...memoryProblems(settings), ...toldProblems(settings)],
  startParameters: startParametersOf,
  // Patroni reads its dynamic configuration from an annotation, and keeps its own beside it
  configuration: (settings) => ({
    annotations: { config: dynamicConfigurationOf(settings) },
    ...(settings.upgrade?.removesOthers === true && { data: { [removalKey]: majorOf(settings.version) } }),
  }),
  accessRules,
  memberPod,
  initProgram,
  backupProgram,
  archiveProgram,
  restoreProgram,
  upgradeProgram,
  verifyProgram,
};
