// What a request to the API server is about: verb, resource, object, and who asks.
import type { IncomingMessage } from "node:http";
import { z } from "zod";

export type Verb = "get" | "list" | "watch" | "create" | "update" | "patch" | "delete" | "deletecollection";

/** Who asks: the operator itself, or Pulumi's Kubernetes provider in one of its runs. */
export type Party = "operator" | "provider";

/** One request, in the words of the API. */
export interface ApiRequest {
  readonly verb: Verb;
  /** Plural, such as `statefulsets`; empty for what is no resource (discovery, health). */
  readonly resource: string;
  /** Empty where there is none. */
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
  /** Without the query. */
  readonly path: string;
  readonly by: Party;
  /** Whether it changes something; a dry run does not. */
  readonly isWrite: boolean;
}

const writes: ReadonlySet<Verb> = new Set(["create", "update", "patch", "delete", "deletecollection"]);
const Method = z.enum(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]);

/** Describes a request by its first line and its User-Agent. */
export function describeRequest({ method, url = "/", headers }: IncomingMessage): ApiRequest {
  const { pathname, searchParams } = new URL(url, "http://api-server");
  const place = placeOf(pathname);
  const isWatch = /^(true|1)$/.test(searchParams.get("watch") ?? "");
  const verb = isWatch ? "watch" : verbOf(Method.parse(method), place.name !== "");
  return {
    ...place,
    verb,
    path: pathname,
    by: /pulumi/i.test(headers["user-agent"] ?? "") ? "provider" : "operator",
    isWrite: writes.has(verb) && place.resource !== "" && !searchParams.has("dryRun"),
  };
}

/** One line for people: `provider patch statefulsets shop`. */
export function textOf({ by, verb, resource, subresource, name }: ApiRequest): string {
  return `${by} ${verb} ${resource}${subresource && `/${subresource}`} ${name}`.trimEnd();
}

type Place = Pick<ApiRequest, "resource" | "namespace" | "name" | "subresource">;

function placeOf(path: string): Place {
  const inside = /^\/(?:api\/v1|apis\/[^/]+\/[^/]+)\/(.+)$/.exec(path)?.[1] ?? "";
  // a namespace's own subresources are finalize and status; everything else below it is a resource
  const namespaced = /^namespaces\/([^/]+)\/(?!finalize$|status$)(.+)$/.exec(inside);
  const [, namespace = "", within = inside] = namespaced ?? [];
  const [resource = "", name = "", subresource = ""] = within.split("/");
  return { resource, namespace, name, subresource };
}

function verbOf(method: z.infer<typeof Method>, isOne: boolean): Verb {
  switch (method) {
    case "GET":
    case "HEAD":
      return isOne ? "get" : "list";
    case "POST":
      return "create";
    case "PUT":
      return "update";
    case "PATCH":
      return "patch";
    case "DELETE":
      return isOne ? "delete" : "deletecollection";
  }
}
