// One object, watched closely.
import type { KubeClient } from "../../../operator/kube/client";
import { collection, type Resource } from "../../../operator/kube/paths";
import { Reflector } from "../../../operator/kube/reflector";
import { Waiters } from "./waiters";

export interface ObjectPlace {
  readonly resource: Resource;
  readonly namespace: string;
  readonly name: string;
}

/** Returns when the object is seen to be so; undefined where there is none. */
export type UntilSeen = (isMet: (object: unknown) => boolean, what: string) => Promise<number>;

const withinMs = 120_000;

/** Watches an object while `act` runs. */
export async function watching<T>(
  client: KubeClient,
  { resource, namespace, name }: ObjectPlace,
  act: (until: UntilSeen) => Promise<T>,
): Promise<T> {
  const waiters = new Waiters();
  const key = `${namespace}/${name}`;
  const reflector = new Reflector<object>({
    client,
    path: collection(resource, namespace),
    fieldSelector: `metadata.name=${name}`,
    parse: (object) => (typeof object === "object" && object !== null ? object : undefined),
    onChange: () => {
      waiters.look(key);
    },
  });
  await reflector.start();
  try {
    return await act((isMet, what) => waiters.until(key, () => isMet(reflector.get(key)), { what, withinMs }));
  } finally {
    await reflector.stop();
  }
}
