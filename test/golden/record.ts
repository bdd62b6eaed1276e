// Records what a Database registers, under Pulumi's mocks: type, name, options that matter and resolved inputs.
import * as pulumi from "@pulumi/pulumi";
import { Database, type DatabaseArgs } from "../../components";

/** A registered resource, secrets replaced by "[secret]". */
export interface Recorded {
  type: string;
  name: string;
  parent?: string;
  options: Record<string, unknown>;
  inputs: unknown;
}

// How the SDK marks a secret on the wire.
const signatureKey = "4dabf18193072939515e22adb298388d";
const secretSignature = "1b47061264138c4ac30d75fd1eb44270";

const label = (type: string, name: string): string => `${type}::${name}`;

/** Constructs the Database and returns everything it registers, sorted by type and name. */
export async function record(name: string, args: DatabaseArgs): Promise<Recorded[]> {
  const inputs = new Map<string, unknown>();
  await pulumi.runtime.setMocks({
    newResource: (resource) => {
      inputs.set(label(resource.type, resource.name), masked(resource.inputs));
      return { id: resource.name, state: resource.inputs as Record<string, unknown> };
    },
    call: () => ({}),
  });
  const seen = new Map<pulumi.Resource, pulumi.ResourceTransformationArgs>();
  const watch: pulumi.ResourceTransformation = (resource) => void seen.set(resource.resource, resource);
  new Database(name, args, { transformations: [watch] });
  await pulumi.runtime.disconnect();
  const labels = new Map([...seen].map(([resource, { type, name }]) => [resource, label(type, name)]));
  return [...seen.values()]
    .map(({ type, name, opts }) => ({
      type,
      name,
      parent: opts.parent && labels.get(opts.parent),
      options: optionsOf(opts, labels),
      inputs: inputs.get(label(type, name)),
    }))
    .sort((left, right) => (label(left.type, left.name) < label(right.type, right.name) ? -1 : 1));
}

function optionsOf(
  opts: pulumi.CustomResourceOptions,
  labels: ReadonlyMap<pulumi.Resource, string>,
): Record<string, unknown> {
  const { retainOnDelete, ignoreChanges, replaceOnChanges, deleteBeforeReplace, protect } = opts;
  const listed = Array.isArray(opts.dependsOn) ? (opts.dependsOn as pulumi.Resource[]) : [];
  const dependsOn = listed.map((resource) => labels.get(resource)).sort();
  const options = { retainOnDelete, ignoreChanges, replaceOnChanges, deleteBeforeReplace, protect, dependsOn };
  return Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0)),
  );
}

/** `value` with every secret replaced; of a secret map the keys stay. */
function masked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(masked);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  const isSecret = entries.some(([key, mark]) => key === signatureKey && mark === secretSignature);
  if (!isSecret) return Object.fromEntries(entries.map(([key, item]) => [key, masked(item)]));
  const content: unknown = Object.fromEntries(entries)["value"];
  if (typeof content !== "object" || content === null) return "[secret]";
  return Object.fromEntries(Object.keys(content).map((key) => [key, "[secret]"]));
}
