// MongoDB as a replica set, from one member to ten: a single member is a set that has not grown yet.
import { memberKey } from "../../contract/member";
import { configMapName, consensusMapName, consensusObjects, memberNames, ports } from "../naming";
import type { Settings } from "../settings";
import type { ConfigObject, Connection, Engine } from "./engine";
import { application, backupContainer, initContainer, memberPod } from "./mongodb/containers";
import { memoryProblems } from "./mongodb/memory";
import { maxMembers } from "../../contract/limits";
import { startParametersOf, memberConfigurationOf } from "./mongodb/configuration";
import { parameterProblems } from "./mongodb/parameters";

const replicaSetMapName = (name: string): string => consensusMapName(name, consensusObjects.mongodb[0]);

/** What is wanted of the members, and the record that the set was begun: an empty volume must not begin another one. */
function configObjects(settings: Settings): ConfigObject[] {
  const { name } = settings;
  return [
    { name: configMapName(name), data: { [memberKey]: memberConfigurationOf(settings) } },
    { name: replicaSetMapName(name) },
  ];
}

/** What the members use. Listing cannot be limited to names; everything that changes something is. */
function accessRules({ name }: Settings): ReturnType<Engine["accessRules"]> {
  return [
    { apiGroups: [""], resources: ["pods"], verbs: ["list"] },
    { apiGroups: [""], resources: ["pods"], resourceNames: memberNames(name), verbs: ["patch"] },
    { apiGroups: [""], resources: ["configmaps"], resourceNames: [configMapName(name)], verbs: ["get"] },
    { apiGroups: [""], resources: ["configmaps"], resourceNames: [replicaSetMapName(name)], verbs: ["get", "patch"] },
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
  maxMembers,
  electedBy: "majority",
  application,
  uri,
  parameterProblems,
  memoryProblems,
  startParameters: startParametersOf,
  configObjects,
  accessRules,
  memberPod,
  initContainer,
  backupContainer,
};
