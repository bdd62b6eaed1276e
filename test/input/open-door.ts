// Bypassed admission: a CustomResourceDefinition that takes any spec and any name; and edits of what is stored.
import { z } from "zod";
import { ApiError, type KubernetesApi } from "../../tools/cluster/api";
import { eventually } from "../harness/eventually";
import { askToCreate, databasesOf } from "./admission";

const crdPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/databases.example.com";

const Version = z.looseObject({
  schema: z.object({ openAPIV3Schema: z.looseObject({ properties: z.looseObject({ status: z.unknown() }) }) }),
});
const Crd = z.looseObject({ spec: z.looseObject({ versions: z.array(Version) }) });
type Crd = z.infer<typeof Crd>;

/** The same definition without any rule about spec or name. */
function opened(crd: Crd): Crd {
  const versions = crd.spec.versions.map((version) => {
    const { status } = version.schema.openAPIV3Schema.properties;
    const properties = { spec: { "x-kubernetes-preserve-unknown-fields": true }, status };
    // the scale subresource has rules of its own about spec.replicas
    return { ...version, subresources: { status: {} }, schema: { openAPIV3Schema: { type: "object", properties } } };
  });
  return { ...crd, spec: { ...crd.spec, versions } };
}

/** What closes the door again. */
export interface OpenDoor {
  close(): Promise<void>;
}

/** Takes the rules away, and returns when they are gone. */
export async function openDoor(api: KubernetesApi): Promise<OpenDoor> {
  const before = Crd.parse(await api.request("GET", crdPath));
  await api.request("PUT", crdPath, opened(before));
  await untilBadIs("accepted", api);
  return {
    async close() {
      const now = z
        .object({ metadata: z.object({ resourceVersion: z.string() }) })
        .parse(await api.request("GET", crdPath));
      const metadata = {
        ...z.looseObject({}).parse(before["metadata"]),
        resourceVersion: now.metadata.resourceVersion,
      };
      await api.request("PUT", crdPath, { ...before, metadata });
      await untilBadIs("refused", api);
    },
  };
}

async function untilBadIs(kind: "accepted" | "refused", api: KubernetesApi): Promise<void> {
  await eventually(async () => {
    const answer = await askToCreate(api, { name: "probe", spec: { engine: 7 } }, "default");
    if (answer.kind !== kind) throw new Error(`a bad object is still ${answer.kind}`);
  });
}

const Stored = z.looseObject({ metadata: z.looseObject({ generation: z.number() }) });

/** Replaces the whole spec, whatever it is, and returns the new generation. */
export async function writeSpec(
  api: KubernetesApi,
  [namespace, name]: readonly [namespace: string, name: string],
  spec: unknown,
): Promise<number> {
  const path = `${databasesOf(namespace)}/${name}`;
  for (;;) {
    const stored = Stored.parse(await api.request("GET", path));
    try {
      const written = Stored.parse(await api.request("PUT", path, { ...stored, spec }));
      return written.metadata.generation;
    } catch (error) {
      // the operator wrote the status in between
      if (!(error instanceof ApiError) || error.status !== 409) throw error;
    }
  }
}
