// An API server that knows nothing but who may do what: it grants what the rules say, and refuses the first of all writes as outdated.
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { describeRequest } from "../../harness/fault-proxy/request";
import { rulesElsewhere, rulesInOwn, type NamedRule } from "./granted";
import { resourceName, rightOf, type Right } from "./right";

export interface Authorizer {
  readonly url: string;
  /** Every right that was asked for, in order, whether it was granted or not. */
  readonly asked: readonly Right[];
  /** Those that the rules do not give. */
  readonly refused: readonly Right[];
  stop(): void;
}

/** Rights in `ownNamespace` are those of the operator's own. */
export async function startAuthorizer(ownNamespace: string): Promise<Authorizer> {
  const asked: Right[] = [];
  const refused: Right[] = [];
  const written = new Set<string>();
  const server = createServer((request, response) => {
    const { about, right, isGranted } = judge(request, ownNamespace);
    asked.push(right);
    request.resume();
    const answer = (code: number, body: unknown): void => {
      response.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify(body));
    };
    if (!isGranted) {
      refused.push(right);
      answer(403, { kind: "Status", reason: "Forbidden", message: `cannot ${right}` });
    } else if (about.isWrite && !written.has(about.path)) {
      written.add(about.path);
      answer(409, { kind: "Status", reason: "Conflict", message: "the object has been modified" });
    } else answer(200, objectOf(about));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${portOf(server.address())}`,
    asked,
    refused,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

type About = ReturnType<typeof describeRequest>;

interface Judged {
  readonly about: About;
  readonly right: Right;
  readonly isGranted: boolean;
}

function judge(request: IncomingMessage, ownNamespace: string): Judged {
  const about = describeRequest(request);
  const { verb, resource, subresource, namespace, name } = about;
  const group = /^\/apis\/([^/]+)\//.exec(about.path)?.[1] ?? "";
  const scope = namespace === ownNamespace ? "own" : "elsewhere";
  const path = subresource === "" ? resource : `${resource}/${subresource}`;
  const isAbout = ({ apiGroups, resources, verbs, resourceNames }: NamedRule): boolean =>
    apiGroups.includes(group) &&
    resources.includes(path) &&
    verbs.includes(verb) &&
    (resourceNames === undefined || resourceNames.includes(name));
  // what holds in every namespace holds in the operator's own, too
  const rules = scope === "own" ? [...rulesElsewhere, ...rulesInOwn] : rulesElsewhere;
  const right = rightOf(scope, resourceName(group, resource, subresource), verb);
  return { about, right, isGranted: rules.some(isAbout) };
}

/** Enough of an object for the client that asks to continue. */
function objectOf({ name, namespace }: About): unknown {
  const metadata = { name, namespace, uid: "uid-1", generation: 1, resourceVersion: "7", finalizers: [] };
  return { metadata, spec: {}, data: {} };
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return address.port;
}
