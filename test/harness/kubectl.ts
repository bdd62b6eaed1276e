// kubectl as a person uses it, against one cluster; what tests merely read is read in this process.
import { dirname, join } from "node:path";
import { z } from "zod";
import { run } from "../../tools/host/command";
import { Reader, type Listed, type ObjectPlace, type Selection } from "./reader";

/** Objects come back unparsed: each test reads the part it is about. */
export interface Kubectl {
  /** Runs kubectl and returns what it printed. Throws with its error text. */
  (...args: string[]): Promise<string>;
  /** `kubectl apply` of an object. */
  apply(object: unknown): Promise<string>;
  /** Runs kubectl with an object as its input. */
  input(object: unknown, ...args: string[]): Promise<string>;
  /** The object as JSON; undefined where there is none. Default namespace: `default`. Without a process, as all below. */
  find(kind: string, name: string, namespace?: string): Promise<unknown>;
  /** Objects of one or more comma-separated kinds. */
  list(kinds: string, selection?: Selection): Promise<Listed[]>;
  /** Names of all objects of these kinds in a namespace, sorted. */
  names(kinds: string, namespace: string): Promise<string[]>;
  /** The object as it is, and then each later version; see `Reader`. */
  follow(place: ObjectPlace, signal: AbortSignal): AsyncGenerator<unknown, void>;
  /** Whether the API server would accept a JSON patch. */
  wouldAccept(place: ObjectPlace, patch: readonly unknown[], manager: string): Promise<boolean>;
}

/** `environment` carries KUBECONFIG and a PATH on which kubectl is found. */
export function kubectlFor(environment: Readonly<Record<string, string>>): Kubectl {
  const reader = new Reader(environment);
  const env = { ...environment, ...cacheFor(environment) };
  const kubectl = (...args: string[]): Promise<string> => run("kubectl", args, { env });
  return Object.assign(kubectl, {
    apply: (object: unknown) => run("kubectl", ["apply", "-f", "-"], { env, input: JSON.stringify(object) }),
    input: (object: unknown, ...args: string[]) => run("kubectl", args, { env, input: JSON.stringify(object) }),
    find: (kind: string, name: string, namespace = "default") => reader.find({ kind, name, namespace }),
    list: (kinds: string, selection?: Selection) => reader.list(kinds, selection),
    names: async (kinds: string, namespace: string): Promise<string[]> =>
      (await reader.list(kinds, { namespace })).map(({ metadata }) => metadata.name).sort(),
    follow: (place: ObjectPlace, signal: AbortSignal) => reader.follow(place, signal),
    wouldAccept: (place: ObjectPlace, patch: readonly unknown[], manager: string) =>
      reader.wouldAccept(place, patch, manager),
  });
}

/** Where kubectl keeps what it learned of a cluster: beside the kubeconfig, as another cluster may have had the same port. */
export function cacheFor({ KUBECONFIG }: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return KUBECONFIG === undefined ? {} : { KUBECACHEDIR: join(dirname(KUBECONFIG), "kubectl-cache") };
}

/** Creates a namespace, for one test alone, and returns its name. */
export async function makeNamespace(kubectl: Kubectl, name: string): Promise<string> {
  await kubectl("create", "namespace", name);
  return name;
}

const Secret = z.object({ data: z.record(z.string(), z.string()) });

/** The data of a Secret, still encoded. Throws where there is none. */
export async function readSecret(kubectl: Kubectl, name: string, namespace: string): Promise<Record<string, string>> {
  return Secret.parse(await kubectl.find("secret", name, namespace)).data;
}
