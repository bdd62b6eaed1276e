// From the engine's account of a step to what people read: which object, what happens to it, and which fields change.
import type { EngineEvent, PropertyDiff, StepEventMetadata } from "@pulumi/pulumi/automation";
import { isRecord } from "../objects/json";
import { partsOf } from "../objects/paths";
import type { FieldChange, PlannedStep } from "../domain/runner";
import { movedIn, namedChanges, segmentOf } from "./named-lists";

/** What the engine writes in place of a secret value. */
const masked = "[secret]";

/** The engine's operations that a person cares about; a replacement's deletion and creation are part of it. */
const operations: Readonly<Record<string, PlannedStep["operation"]>> = {
  create: "create",
  update: "update",
  delete: "delete",
  replace: "replace",
  "create-replacement": "replace",
  same: "same",
};

/** Types that Pulumi keeps for itself, and our components: not objects of the cluster. */
export const isObject = (type: string): boolean => !type.startsWith("pulumi:") && !type.startsWith("databases:");

/** Collects the steps of one run; `clean` takes secrets out of a text. */
export class Steps {
  readonly #steps = new Map<string, PlannedStep>();

  constructor(private readonly clean: (text: string) => string) {}

  accept({ resourcePreEvent }: EngineEvent): void {
    const metadata = resourcePreEvent?.metadata;
    if (!metadata || !isObject(metadata.type)) return;
    const operation = operations[metadata.op];
    if (operation === undefined) return;
    const before = this.#steps.get(metadata.urn);
    const step = this.#stepOf(metadata, operation);
    // a replacement is reported twice, and only one of the two has the fields
    this.#steps.set(
      metadata.urn,
      before !== undefined && step.fields.length === 0 ? { ...step, fields: before.fields } : step,
    );
  }

  /** By kind and name: the engine's own order differs from run to run. */
  get all(): readonly PlannedStep[] {
    const textOf = ({ kind, name }: PlannedStep): string => `${kind} ${name}`;
    return [...this.#steps.values()].sort((a, b) => textOf(a).localeCompare(textOf(b), "en", { numeric: true }));
  }

  #stepOf(metadata: StepEventMetadata, operation: PlannedStep["operation"]): PlannedStep {
    const changes = operation === "update" || operation === "replace";
    return {
      ...objectOf(metadata.urn),
      operation,
      retained: operation === "delete" && metadata.old?.retainOnDelete === true,
      fields: changes ? fieldsOf(metadata).map((field) => this.#masked(metadata.type, field)) : [],
    };
  }

  #masked(type: string, field: FieldChange): FieldChange {
    const isSecret = type === "kubernetes:core/v1:Secret" && /^(data|stringData)\b/.test(field.path);
    const { kind } = field;
    // the engine leaves nothing of what is secret as a whole, also where it says that a part of it changes
    if (isSecret)
      return { ...field, before: kind === "add" ? undefined : masked, after: kind === "remove" ? undefined : masked };
    return { ...field, before: this.#cleanValue(field.before), after: this.#cleanValue(field.after) };
  }

  #cleanValue(value: unknown): unknown {
    if (typeof value === "string") return this.clean(value);
    if (Array.isArray(value)) return value.map((element: unknown) => this.#cleanValue(element));
    if (!isRecord(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, nested]) => [key, this.#cleanValue(nested)]));
  }
}

/** Kind and name in a URN. */
export function objectOf(urn: string): Pick<PlannedStep, "kind" | "name"> {
  const [, , types = "", name = ""] = urn.split("::");
  return { kind: types.split("$").at(-1)?.split(":").at(-1) ?? "", name };
}

/** The fields that the provider compared unequal, sorted by path. */
function fieldsOf(metadata: StepEventMetadata): FieldChange[] {
  const detailed = Object.entries(metadata.detailedDiff ?? {});
  const paths = detailed.length > 0 ? detailed : (metadata.diffs ?? []).map((path) => [path, undefined] as const);
  const lists = new Set(paths.flatMap(([path]) => movedListAbove(path, metadata)));
  const rest = paths.filter(([path]) => ![...lists].some((list) => path.startsWith(`${list}[`)));
  return [
    ...rest.map(([path, diff]) => fieldOf(path, diff, metadata)),
    ...[...lists].flatMap((list) => changesOfList(list, metadata)),
  ].sort((left, right) => left.path.localeCompare(right.path, "en", { numeric: true }));
}

/** Path of the outermost list in which items have other places than before: there the engine compares one item with another. */
function movedListAbove(path: string, { old, new: next }: StepEventMetadata): string[] {
  const lists = [...path.matchAll(/\[\d+\]/g)].map(({ index }) => path.slice(0, index));
  return lists.filter((list) => movedAt(list, [old?.inputs, next?.inputs]) !== undefined).slice(0, 1);
}

const movedAt = (list: string, [before, after]: readonly [unknown, unknown]): ReturnType<typeof movedIn> =>
  movedIn(valueAt(before, partsOf(list)), valueAt(after, partsOf(list)));

function changesOfList(list: string, { old, new: next }: StepEventMetadata): FieldChange[] {
  const moved = movedAt(list, [old?.inputs, next?.inputs]);
  return moved === undefined ? [] : namedChanges(namedPath(partsOf(list), [next?.inputs, old?.inputs]), moved);
}

function fieldOf(path: string, diff: PropertyDiff | undefined, { old, new: next }: StepEventMetadata): FieldChange {
  const parts = partsOf(path);
  const [inputs, outputs] = [valueAt(old?.inputs, parts), valueAt(old?.outputs, parts)];
  // what the last run declared, or, where the object itself was compared, what it holds
  const before = diff?.inputDiff === false ? (outputs ?? inputs) : (inputs ?? outputs);
  return changeOf(namedPath(parts, [next?.inputs, old?.inputs]), diff, before, valueAt(next?.inputs, parts));
}

function changeOf(path: string, diff: PropertyDiff | undefined, before: unknown, after: unknown): FieldChange {
  const isAdded = diff === undefined ? before === undefined : diff.diffKind.startsWith("add");
  const isRemoved = diff === undefined ? after === undefined : diff.diffKind.startsWith("delete");
  if (isAdded) return { path, kind: "add", before: undefined, after };
  return isRemoved ? { path, kind: "remove", before, after: undefined } : { path, kind: "change", before, after };
}

/** The path with elements of lists by their names, where they have some: `containers[postgresql].image`. */
function namedPath(parts: readonly string[], roots: readonly unknown[]): string {
  return parts.reduce((path, part, index) => {
    const before = parts.slice(0, index);
    if (!roots.some((root) => Array.isArray(valueAt(root, before))))
      return path === "" ? firstOf(part) : path + segmentOf(part);
    const names = roots.map((root) => valueAt(root, [...before, part, "name"]));
    const name = names.find((found) => typeof found === "string" && found !== masked);
    return `${path}[${typeof name === "string" ? name : part}]`;
  }, "");
}

const firstOf = (part: string): string => segmentOf(part).replace(/^\./, "");

function valueAt(value: unknown, parts: readonly string[]): unknown {
  let found = value;
  for (const part of parts) {
    if (found === masked) return masked;
    found = isRecord(found) || Array.isArray(found) ? Reflect.get(found, part) : undefined;
  }
  return found;
}
