// Whether a Database can go back to the spec of a former revision, and what stays as it is: pure.
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { valueOf } from "../../operator/api/quantity";
import type { DatabaseRevision } from "../../operator/api/revisions/object";

type Spec = Readonly<Record<string, unknown>>;

/** A field that is not gone back with. */
export interface KeptField {
  readonly path: string;
  readonly why: string;
}

/** What may be written, or why nothing is. */
export type Rollback =
  /** `patch` leads there: a JSON merge patch of the spec. */
  | { readonly kind: "possible"; readonly spec: Spec; readonly patch: Spec; readonly kept: readonly KeptField[] }
  /** What would be written is there already. */
  | { readonly kind: "same"; readonly kept: readonly KeptField[] }
  /** Its spec is not known: too large to be kept, or not read. */
  | { readonly kind: "unknown" }
  /** It ran another version, and an engine does not read the files of a newer one. */
  | { readonly kind: "version"; readonly from: string; readonly to: string }
  /** It is of another engine: then it is of another Database. */
  | { readonly kind: "foreign" };

export interface Asked {
  /** The spec of the Database as it is. */
  readonly spec: Spec;
  readonly to: Pick<DatabaseRevision, "spec">;
  /** Whether the version of now stays where that of then was another one. */
  readonly keepsVersion: boolean;
}

/** Left as they are, whatever they were. */
const guards: readonly KeptField[] = [
  { path: "deletionPolicy", why: "it says what becomes of the data, and is not undone by the way" },
  { path: "changePolicy", why: "it says which changes ask, and is not undone by the way" },
  { path: "paused", why: "it is set by hand" },
  { path: "upgrade", why: "it is about the major upgrade of now" },
];

/** Of the creation: the API server refuses to change them. */
const ofCreation: readonly KeptField[] = ["storageClass", "restore", "initFrom"].map((path) => ({
  path,
  why: "it is of the creation and cannot be changed",
}));

/** See the header. */
export function judgeRollback({ spec: now, to, keepsVersion }: Asked): Rollback {
  const then = to.spec.template;
  if (then === undefined) return { kind: "unknown" };
  if (then["engine"] !== now["engine"]) return { kind: "foreign" };
  const [from, back] = [String(now["version"]), String(then["version"])];
  if (from !== back && !keepsVersion) return { kind: "version", from, to: back };
  const steps = [withVersion, withGuards, withStorage, withBackup];
  const { spec, kept } = steps.reduce<Going>((going, step) => step(going, now), { spec: then, kept: [] });
  const patch = mergePatch(now, spec);
  return Object.keys(patch).length === 0 ? { kind: "same", kept } : { kind: "possible", spec, patch, kept };
}

interface Going {
  readonly spec: Spec;
  readonly kept: readonly KeptField[];
}

const withVersion = (going: Going, now: Spec): Going =>
  withKept(going, now, { path: "version", why: "an engine does not read the files of a newer version" });

const withGuards = (going: Going, now: Spec): Going =>
  [...guards, ...ofCreation].reduce((so, field) => withKept(so, now, field), going);

/** As it is now, whether it is there or not. */
function withKept({ spec, kept }: Going, now: Spec, field: KeptField): Going {
  const { [field.path]: then, ...rest } = spec;
  const present = now[field.path];
  if (isDeepStrictEqual(then, present)) return { spec, kept };
  return { spec: { ...rest, ...(present !== undefined && { [field.path]: present }) }, kept: [...kept, field] };
}

/** Volumes do not shrink. More than is asked for now had they grown to by themselves: they still have it. */
function withStorage({ spec, kept }: Going, now: Spec): Going {
  const [then, present] = [spec["storage"], now["storage"]];
  if (then === present || present === undefined) return { spec, kept };
  const said = isSmaller(then, present) ? [{ path: "storage", why: shrinks }] : [];
  return { spec: { ...spec, storage: present }, kept: [...kept, ...said] };
}

const shrinks = "volumes do not shrink";

const isSmaller = (then: unknown, present: unknown): boolean =>
  typeof then === "string" && typeof present === "string" && valueOf(then) < valueOf(present);

const Volume = z.looseObject({ size: z.string().optional(), storageClass: z.string().optional() });
const Backup = z.looseObject({ destination: z.looseObject({ volume: Volume.optional() }).optional() });

/** A backup volume that there is now has the size and the class of now. */
function withBackup(going: Going, now: Spec): Going {
  const then = Backup.safeParse(going.spec["backup"]).data;
  const [former, volume] = [then, Backup.safeParse(now["backup"]).data].map((backup) => backup?.destination?.volume);
  if (former === undefined || volume === undefined || !isLess(former, volume)) return going;
  const destination = { ...then?.destination, volume };
  const path = "backup.destination.volume";
  return {
    spec: { ...going.spec, backup: { ...then, destination } },
    kept: [...going.kept, { path, why: shrinks }],
  };
}

type Volume = z.infer<typeof Volume>;

/** Of another class is no less to be had. */
const isLess = (former: Volume, volume: Volume): boolean =>
  isSmaller(former.size, volume.size) || former.storageClass !== volume.storageClass;

const isObject = (value: unknown): value is Spec =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What makes `after` of `before` (RFC 7396): null removes. */
export function mergePatch(before: Spec, after: Spec): Spec {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return Object.fromEntries(
    names.flatMap((name): (readonly [string, unknown])[] => {
      const [left, right] = [before[name], after[name]];
      if (isDeepStrictEqual(left, right)) return [];
      if (right === undefined) return [[name, null]];
      return [[name, isObject(left) && isObject(right) ? mergePatch(left, right) : right]];
    }),
  );
}
