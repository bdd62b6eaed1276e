// Reads a cluster for the invariants: as cluster-admin, and not with anything of the operator's.
import { companionResources } from "../../../contract/resources";
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { childKinds, qualifiedName } from "../../../components/naming";
import type { Kubectl } from "../../harness/kubectl";
import { auditedRequest, canariesIn, databaseView, eventView, objectView, Secret, stateView, uidOf } from "./parse";
import { operatorNamespace, type AuditedWrite, type Snapshot } from "./snapshot";

const kinds = Object.values(childKinds).map(qualifiedName);
const companionKinds = Object.values(companionResources).map(({ plural, group }) => `${plural}.${group}`);
const serviceMonitors = qualifiedName(childKinds.ServiceMonitor);

/** What is read of the cluster itself. */
export type ClusterPart = Pick<
  Snapshot,
  | "databases"
  | "companions"
  | "objects"
  | "states"
  | "credentials"
  | "certificates"
  | "events"
  | "canaries"
  | "serviceMonitors"
>;

/** Reads what is in the cluster at present; of one namespace where one is given. */
export async function readCluster(kubectl: Kubectl, namespace?: string): Promise<ClusterPart> {
  const list = (what: string, where = namespace): Promise<unknown[]> =>
    kubectl.list(what, { namespace: where, managedFields: true });
  const isInstalled = async (definition: string): Promise<boolean> =>
    (await kubectl.find("customresourcedefinitions", definition)) !== undefined;
  const knowsMonitors = await isInstalled(serviceMonitors);
  const objects = await list(kinds.filter((kind) => knowsMonitors || kind !== serviceMonitors).join(","));
  const records = (await list("secrets", operatorNamespace)).map((object) => Secret.parse(object));
  const secrets = objects
    .filter((object) => objectView(object).kind === "Secret")
    .map((object) => Secret.parse(object));
  // read last: an object that was created in between has its Database in the list
  const databases = await list("databases.example.com");
  const areInstalled = await Promise.all(companionKinds.map(isInstalled));
  const installed = companionKinds.filter((_, index) => areInstalled[index]);
  // and after them what may own them
  const companions = installed.length === 0 ? [] : await list(installed.join(","));
  return {
    databases: databases.map(databaseView),
    companions: companions.map(uidOf),
    objects: objects.map(objectView).filter((object) => object.namespace !== operatorNamespace),
    states: await Promise.all(records.filter(isNamed("state.")).filter(isIn(namespace)).map(stateView)),
    credentials: stacksWith("credentials.", records),
    certificates: stacksWith("certificates.", records),
    events: (await list("events")).map(eventView),
    canaries: [...new Set([...records, ...secrets.filter(isOurs)].flatMap(canariesIn))],
    serviceMonitors: knowsMonitors,
  };
}

const stacksWith = (prefix: string, records: readonly Secret[]): string[] =>
  records.filter(isNamed(prefix)).map(({ metadata }) => metadata.name.slice(prefix.length));

const isNamed =
  (prefix: string) =>
  ({ metadata }: Secret): boolean =>
    metadata.name.startsWith(prefix);

const isIn =
  (namespace: string | undefined) =>
  ({ metadata }: Secret): boolean =>
    namespace === undefined || metadata.name.startsWith(`state.${namespace}.`);

export const isOurs = ({ metadata }: Secret): boolean =>
  metadata.labels["app.kubernetes.io/managed-by"] === "database-operator";

/**
 * The audit log's writes, and what was forbidden, in the order in which they were asked for. A read that was forbidden at
 * one time and allowed at another is left out: right after its start the API server does not know all Roles yet.
 */
export async function readAuditLog(file: string): Promise<AuditedWrite[]> {
  const requests: AuditedWrite[] = [];
  const allowed = new Set<string>();
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const request = line.startsWith("{") ? auditedRequest(line) : undefined;
    if (request === undefined) continue;
    const isAllowed = request.code !== 403;
    if (isAllowed) allowed.add(readOf(request));
    if (!isAllowed || writing.has(request.verb)) requests.push(request);
  }
  return requests
    .filter((request) => request.code !== 403 || writing.has(request.verb) || !allowed.has(readOf(request)))
    .sort((left, right) => left.at - right.at);
}

const writing = new Set(["create", "update", "patch", "delete", "deletecollection"]);

const readOf = ({ user, verb, resource }: AuditedWrite): string => [user, verb, resource].join(" ");
