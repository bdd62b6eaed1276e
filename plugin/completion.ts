// What kubectl shows when tab is pressed: it runs `kubectl_complete-…` with the words so far, the last of which is being written, and reads
// proposals, one a line, and a directive as cobra has them.
import { collectionOf, itemOf, kinds, type Kind } from "./cluster/paths";
import { colorChoices, flagOf, type FlagName, type ValueKind } from "./command/flags";
import { completionFile, invocation } from "./command/name";
import type { Verb } from "./command/verb";
import type { Reach, World } from "./command/world";

/** Of cobra: nothing but the proposals; or files. */
const noFiles = 4;
const files = 0;

interface Proposals {
  readonly texts: readonly string[];
  readonly directive: number;
}

/** Prints proposals for the last of `words`. Never fails: a shell has no place for errors. */
export async function complete(verbs: readonly Verb[], words: readonly string[], world: World): Promise<void> {
  const { texts, directive } = await proposals(verbs, words, world).catch((): Proposals => none);
  world.out([...texts, `:${directive}`, ""].join("\n"));
}

const none: Proposals = { texts: [], directive: noFiles };
const only = (texts: readonly string[], begin: string): Proposals => ({
  texts: texts.filter((text) => text.startsWith(begin)),
  directive: noFiles,
});

async function proposals(verbs: readonly Verb[], words: readonly string[], world: World): Promise<Proposals> {
  const current = words.at(-1) ?? "";
  const [named, ...before] = words.slice(0, -1);
  if (named === undefined)
    return only(
      verbs.map(({ name, does }) => `${name}\t${does}`),
      current,
    );
  const verb = verbs.find(({ name }) => name === named);
  if (verb === undefined) return none;
  const [flag, value] = flagBeing(verb, before, current);
  if (flag !== undefined) return valuesOf(flag, value, { verb, words, world });
  if (current.startsWith("-")) return only(flagsOf(verb), current);
  if (verb.takes === "nothing" || positionals(verb, before).length > 0) return none;
  return only(await names(kinds.databases, words, world), current);
}

const flagsOf = ({ flags }: Verb): string[] =>
  [...flags, "help" as const].map((flag) => `--${flag}\t${flagOf(flag).does}`);

/** The flag whose value is being written, and what there is of it. */
function flagBeing(verb: Verb, before: readonly string[], current: string): [FlagName | undefined, string] {
  const [, name, begin = ""] = /^(--[^=]+)=(.*)$/.exec(current) ?? [];
  const word = name ?? before.at(-1) ?? "";
  const flag = flagNamed(verb, word);
  return flag !== undefined && flagOf(flag).type === "string"
    ? [flag, name === undefined ? current : begin]
    : [undefined, ""];
}

const flagNamed = ({ flags }: Verb, word: string): FlagName | undefined =>
  flags.find((flag) => word === `--${flag}` || word === `-${flagOf(flag).short ?? ""}`);

function positionals(verb: Verb, before: readonly string[]): string[] {
  return before.filter((word, index) => {
    if (word.startsWith("-")) return false;
    const flag = flagNamed(verb, before[index - 1] ?? "");
    return flag === undefined || flagOf(flag).type === "boolean";
  });
}

interface Situation {
  readonly verb: Verb;
  readonly words: readonly string[];
  readonly world: World;
}

async function valuesOf(flag: FlagName, begin: string, { verb, words, world }: Situation): Promise<Proposals> {
  const kind = flagOf(flag).kind;
  if (kind === "file") return { texts: [], directive: files };
  const texts = kind === undefined ? [] : await valuesOfKind(kind, { verb, words, world });
  const written = words.at(-1)?.startsWith(`--${flag}=`) === true ? `--${flag}=` : "";
  return only(
    texts.map((text) => written + text),
    written + begin,
  );
}

type Proposing = (situation: Situation) => readonly string[] | Promise<readonly string[]>;

/** Those that something can be proposed of. */
const proposing: Readonly<Partial<Record<ValueKind, Proposing>>> = {
  namespace: ({ words, world }) => names(kinds.namespaces, words, world),
  context: ({ words, world }) => world.contexts(reachIn(words).kubeconfig),
  format: ({ verb }) => verb.formats,
  color: () => colorChoices,
  goal: () => ["ready", "deleted"],
  plan: planOf,
};

const valuesOfKind = async (kind: ValueKind, situation: Situation): Promise<readonly string[]> =>
  (await proposing[kind]?.(situation)) ?? [];

const valueIn = (words: readonly string[], ...flags: string[]): string | undefined => {
  const index = words.findIndex((word) => flags.includes(word));
  const joined = words.find((word) => flags.some((flag) => word.startsWith(`${flag}=`)));
  return joined?.slice(joined.indexOf("=") + 1) ?? (index === -1 ? undefined : words[index + 1]);
};

const namespaceIn = (words: readonly string[]): string | undefined => valueIn(words, "-n", "--namespace");

const reachIn = (words: readonly string[]): Reach => ({
  kubeconfig: valueIn(words, "--kubeconfig"),
  context: valueIn(words, "--context"),
  as: valueIn(words, "--as"),
  groups: [],
});

/** Longer than that no one waits for a proposal, in milliseconds. */
const patienceMs = 2000;

async function names(kind: Kind, words: readonly string[], world: World): Promise<string[]> {
  const { z } = await import("zod");
  const cluster = await world.open(reachIn(words));
  const namespace = kind === kinds.namespaces ? undefined : (namespaceIn(words) ?? cluster.namespace);
  const List = z.object({ items: z.array(z.object({ metadata: z.object({ name: z.string() }) })) });
  const list = List.parse(await cluster.get(collectionOf(kind, namespace), {}, AbortSignal.timeout(patienceMs)));
  return list.items.map(({ metadata }) => metadata.name);
}

/** The plan of the change that waits. */
async function planOf({ verb, words, world }: Situation): Promise<string[]> {
  const [name] = positionals(verb, words.slice(1, -1));
  if (name === undefined) return [];
  const { pendingIn, shortened } = await import("./objects/pending.js");
  const cluster = await world.open(reachIn(words));
  const namespace = namespaceIn(words) ?? cluster.namespace;
  const pending = pendingIn(
    await cluster.get(itemOf(kinds.databases, namespace, name), {}, AbortSignal.timeout(patienceMs)),
  );
  return pending === undefined ? [] : [shortened(pending.digest)];
}

/** The program that kubectl looks for, to be put on PATH. */
export const completionScript = `#!/bin/sh
# Completes \`${invocation}\`; kubectl finds it on PATH as ${completionFile}.
exec ${invocation} __complete "$@"
`;
