// Which rights an identity used, and which it was refused, by the API server's audit log.
import { createReadStream } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { z } from "zod";
import { resourceName, rightOf, type Right, type Scope } from "./right";

/** What one cluster's audit log says of one identity. */
export interface Usage {
  readonly used: readonly Right[];
  /** Refused, and never granted in the same cluster: an API server that has just started does not know all Roles yet. */
  readonly refused: readonly Right[];
}

const AuditEvent = z.object({
  stage: z.string(),
  verb: z.string(),
  user: z.object({ username: z.string().default("") }),
  objectRef: z.object({
    resource: z.string(),
    namespace: z.string().default(""),
    apiGroup: z.string().default(""),
    subresource: z.string().default(""),
  }),
  responseStatus: z.object({ code: z.number().default(0), message: z.string().default("") }).prefault({}),
  annotations: z.record(z.string(), z.string()).default({}),
});
type AuditEvent = z.infer<typeof AuditEvent>;

/** Whose usage is read: an identity, and the namespace that is its own. */
export interface Identity {
  readonly user: string;
  readonly namespace: string;
}

/** Reads the log and those that were put away when it had grown too long. */
export async function readUsage(auditLog: string, identity: Identity): Promise<Usage> {
  const directory = dirname(auditLog);
  const stem = basename(auditLog, ".log");
  const files = (await readdir(directory)).filter((name) => name.startsWith(stem) && name.endsWith(".log"));
  const found = { used: new Set<Right>(), refused: new Set<Right>() };
  for (const file of files) {
    for await (const line of createInterface({ input: createReadStream(join(directory, file)) })) {
      if (!line.includes(identity.user)) continue;
      const { used, refused } = rightsAsked(line, identity);
      for (const right of used) found.used.add(right);
      for (const right of refused) found.refused.add(right);
    }
  }
  const refused = [...found.refused].filter((right) => !found.used.has(right));
  return { used: [...found.used].sort(), refused: refused.sort() };
}

const nothing: Usage = { used: [], refused: [] };

/** The rights that one line of the log reports. */
export function rightsAsked(line: string, { user, namespace }: Identity): Usage {
  const event = AuditEvent.safeParse(parse(line)).data;
  // a watch is answered long before it ends
  const isAnswer = event?.stage === "ResponseComplete" || event?.stage === "ResponseStarted";
  if (event === undefined || !isAnswer || event.user.username !== user) return nothing;
  const { resource, apiGroup, subresource } = event.objectRef;
  const scope: Scope = event.objectRef.namespace === namespace && resource !== "namespaces" ? "own" : "elsewhere";
  const name = resourceName(apiGroup, resource, subresource);
  const asked = rightOf(scope, name, event.verb);
  if (event.annotations["authorization.k8s.io/decision"] === "forbid") return { used: [], refused: [asked] };
  return {
    used: [asked, ...alsoUsed(event).map((verb) => rightOf(scope, name, verb))],
    refused: deniedWithin(event, asked),
  };
}

/** To apply what does not exist yet asks for two rights. */
const alsoUsed = ({ verb, responseStatus }: AuditEvent): string[] =>
  verb === "patch" && responseStatus.code === 201 ? ["create"] : [];

/** What the API server finds missing only while it executes a request: creating by applying, and handing rights on. */
function deniedWithin({ verb, responseStatus: { code, message } }: AuditEvent, asked: Right): Right[] {
  if (code !== 403) return [];
  if (verb === "patch" && /cannot create resource/.test(message)) return [asked.replace(/ patch$/, " create")];
  return /attempting to grant RBAC permissions/.test(message) ? [`${asked} (hands on what it does not have)`] : [];
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    // the last line may not have been written to its end
    return undefined;
  }
}
