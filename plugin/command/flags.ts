// Every flag that a verb can have: what it is called, what it takes, and what help and completion say of it.

/** What completion proposes for the value. */
export type ValueKind =
  "namespace" | "context" | "file" | "format" | "color" | "user" | "duration" | "goal" | "plan" | "number";

interface Flag {
  readonly type: "string" | "boolean";
  readonly short?: string;
  /** Of a string: what help calls its value. */
  readonly value?: string;
  readonly kind?: ValueKind;
  readonly multiple?: true;
  /** A sentence without a full stop. */
  readonly does: string;
}

export const flags = {
  namespace: {
    ...{ type: "string", short: "n", value: "NAMESPACE", kind: "namespace" },
    does: "namespace (that of the context)",
  },
  "all-namespaces": { type: "boolean", short: "A", does: "of all namespaces" },
  output: { type: "string", short: "o", value: "FORMAT", kind: "format", does: "another form than text" },
  "no-headers": { type: "boolean", does: "no line of headings" },
  watch: { type: "boolean", short: "w", does: "stay, and print what changes" },
  all: { type: "boolean", does: "all of them" },
  release: { type: "boolean", does: "with --all: only what a release of the operator alone asks for" },
  effect: {
    ...{ type: "string", value: "EFFECT", multiple: true },
    does: "with --all: only changes of which this is the weightiest; more than once for several",
  },
  filename: {
    ...{ type: "string", short: "f", value: "FILE", kind: "file", multiple: true },
    does: "a file with Databases; - reads standard input; more than once for several",
  },
  catalogue: {
    ...{ type: "string", value: "FILE", kind: "file" },
    does: "as if that were the catalogue (JSON, as the platform's catalogueFile)",
  },
  delete: { type: "boolean", does: "what a deletion would do" },
  "server-side": { type: "boolean", does: "as for `kubectl apply --server-side`" },
  objects: { type: "boolean", does: "every object that would change, field by field" },
  for: { type: "string", value: "GOAL", kind: "goal", does: "ready, or deleted (ready)" },
  timeout: { type: "string", value: "TIME", kind: "duration", does: "how long to wait, such as 90s, 5m or 1h" },
  plan: {
    ...{ type: "string", value: "DIGEST", kind: "plan" },
    does: "only the plan of this digest, or of one that begins so",
  },
  now: { type: "boolean", does: "do not wait for a window either" },
  yes: { type: "boolean", short: "y", does: "do not ask" },
  revision: { type: "string", value: "NUMBER", kind: "number", does: "all of this revision" },
  "to-revision": {
    type: "string",
    value: "NUMBER",
    kind: "number",
    does: "to this one (the newest with another spec)",
  },
  "dry-run": { type: "boolean", does: "show what it would do, and write nothing" },
  force: { type: "boolean", does: "write, too, what Argo CD, Flux or Helm would write over" },
  "keep-version": { type: "boolean", does: "keep the version of now where it was another one" },
  keep: { type: "boolean", does: "keep it beyond the retention" },
  port: { type: "string", value: "PORT", does: "port at 127.0.0.1 (one that is free)" },
  context: { type: "string", value: "CONTEXT", kind: "context", does: "context of the kubeconfig" },
  kubeconfig: { type: "string", value: "FILE", kind: "file", does: "the kubeconfig (KUBECONFIG, or ~/.kube/config)" },
  as: { type: "string", value: "USER", kind: "user", does: "act as this user" },
  "as-group": { type: "string", value: "GROUP", kind: "user", multiple: true, does: "and as a member of this group" },
  color: {
    ...{ type: "string", value: "WHEN", kind: "color" },
    does: "auto, always or never (auto: on a terminal, without NO_COLOR)",
  },
  help: { type: "boolean", short: "h", does: "show this" },
} as const satisfies Readonly<Record<string, Flag>>;

export type FlagName = keyof typeof flags;

/** Those that every verb has which asks the cluster. */
export const clusterFlags = ["namespace", "context", "kubeconfig", "as", "as-group", "color"] as const;

export const flagOf = (name: FlagName): Flag => flags[name];

const isFlagName = (name: string): name is FlagName => Object.hasOwn(flags, name);
export const flagNames: readonly FlagName[] = Object.keys(flags).filter(isFlagName);

/** What `--color` can be. */
export const colorChoices = ["auto", "always", "never"] as const;
export type ColorChoice = (typeof colorChoices)[number];
