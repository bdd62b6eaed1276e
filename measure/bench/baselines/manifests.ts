// The children of a Database as manifests: what the program declares, read off Pulumi's mocks.
import * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { programOf } from "../../../operator/stack/program";
import type { DatabaseProgram } from "../../../operator/domain/desired";

const Manifest = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), namespace: z.string() }),
});
export type Manifest = z.infer<typeof Manifest>;

// How the SDK marks a secret on the wire.
const signatureKey = "4dabf18193072939515e22adb298388d";

/** Renders the program. One at a time: the mocks belong to the whole process. */
export async function manifestsOf(program: DatabaseProgram): Promise<readonly Manifest[]> {
  const manifests: Manifest[] = [];
  await pulumi.runtime.setMocks({
    newResource: ({ type, name, inputs }) => {
      if (type.startsWith("kubernetes:")) manifests.push(Manifest.parse(unwrapped(inputs)));
      return { id: name, state: {} };
    },
    call: () => ({}),
  });
  await programOf(program)();
  await pulumi.runtime.disconnect();
  return manifests;
}

/** Secrets in clear, as they are sent to the API server. */
function unwrapped(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unwrapped);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  const secret = entries.some(([key]) => key === signatureKey);
  if (secret) return unwrapped(Object.fromEntries(entries)["value"]);
  return Object.fromEntries(entries.map(([key, item]) => [key, unwrapped(item)]));
}
