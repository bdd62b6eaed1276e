// kubectl as a person uses it, against one cluster.
import { z } from "zod";
import { run } from "../../tools/host/command";

/** Objects come back unparsed: each test reads the part it is about. */
export interface Kubectl {
  /** Runs kubectl and returns what it printed. Throws with its error text. */
  (...args: string[]): Promise<string>;
  /** `kubectl apply` of an object. */
  apply(object: unknown): Promise<string>;
  /** Runs kubectl with an object as its input. */
  input(object: unknown, ...args: string[]): Promise<string>;
  /** The object as JSON; undefined where there is none. */
  find(kind: string, name: string, namespace?: string): Promise<unknown>;
  /** Names of a kind's objects in a namespace. */
  names(kind: string, namespace: string): Promise<string[]>;
}

const Named = z.object({ items: z.array(z.object({ metadata: z.object({ name: z.string() }) })) });

/** `environment` carries KUBECONFIG and a PATH on which kubectl is found. */
export function kubectlFor(environment: Readonly<Record<string, string>>): Kubectl {
  const kubectl = (...args: string[]): Promise<string> => run("kubectl", args, { env: environment });
  return Object.assign(kubectl, {
    apply: (object: unknown) =>
      run("kubectl", ["apply", "-f", "-"], { env: environment, input: JSON.stringify(object) }),
    input: (object: unknown, ...args: string[]) =>
      run("kubectl", args, { env: environment, input: JSON.stringify(object) }),
    find: async (kind: string, name: string, namespace = "default"): Promise<unknown> => {
      const text = await kubectl("get", kind, name, "-n", namespace, "-o", "json", "--ignore-not-found");
      return text.trim() === "" ? undefined : JSON.parse(text);
    },
    names: async (kind: string, namespace: string): Promise<string[]> => {
      const listed = Named.parse(JSON.parse(await kubectl("get", kind, "-n", namespace, "-o", "json")));
      return listed.items.map(({ metadata }) => metadata.name).sort();
    },
  });
}

/** Makes a namespace, for one test alone, and returns its name. */
export async function makeNamespace(kubectl: Kubectl, name: string): Promise<string> {
  await kubectl("create", "namespace", name);
  return name;
}

const Secret = z.object({ data: z.record(z.string(), z.string()) });

/** The data of a Secret, still encoded. Throws where there is none. */
export async function readSecret(kubectl: Kubectl, name: string, namespace: string): Promise<Record<string, string>> {
  return Secret.parse(await kubectl.find("secret", name, namespace)).data;
}
