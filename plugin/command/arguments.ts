// Reads what stands behind a verb, by the flags that it has.
import { parseArgs } from "node:util";
import { formats, type Asked, type Format } from "./asked";
import { colorChoices, flagOf, type FlagName } from "./flags";
import { spelledOut } from "./kubectl-style";
import { invocation } from "./name";
import { nameIn } from "./names";
import { nearTo } from "./near";
import { Trouble } from "./trouble";
import type { Verb } from "./verb";

type Values = Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>;

/** Throws a Trouble for what the verb does not take. */
export function parseArguments(verb: Verb, args: readonly string[]): Asked {
  const { values, positionals } = parsed(verb, args);
  const asked = askedBy(values, positionals[0]);
  // with it, the rest need not be right
  if (asked.help) return asked;
  check(verb, values, positionals);
  const { name, namespace } = asked;
  return {
    ...asked,
    name: name === undefined ? undefined : nameIn(name, "name of a Database"),
    // as kubectl takes one that is empty
    namespace: namespace === undefined || namespace === "" ? undefined : nameIn(namespace, "name of a namespace"),
  };
}

interface Parsed {
  readonly values: Values;
  readonly positionals: readonly string[];
}

function parsed(verb: Verb, args: readonly string[]): Parsed {
  const known: readonly FlagName[] = [...verb.flags, "help"];
  const options = Object.fromEntries(
    known.map((name) => {
      const { type, short, multiple = false } = flagOf(name);
      return [name, { type, multiple, ...(short !== undefined && { short }) }];
    }),
  );
  try {
    return parseArgs({ args: spelledOut(args, known), options, allowPositionals: true });
  } catch (error) {
    throw new Trouble(wordsOf(error), [...meant(args, known), `${invocation} ${verb.name} --help`]);
  }
}

/** Node's own words end with advice that is about something else. */
function wordsOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.split(". To specify")[0] ?? message;
}

function meant(args: readonly string[], known: readonly FlagName[]): string[] {
  const given = args.filter((arg) => arg.startsWith("--")).map((arg) => arg.slice(2).split("=")[0] ?? "");
  const unknown = given.find((name) => !known.some((one) => one === name));
  const [near] = unknown === undefined ? [] : nearTo(unknown, known);
  return near === undefined ? [] : [`did you mean --${near}?`];
}

function askedBy(values: Values, name: string | undefined): Asked {
  const text = (flag: FlagName): string | undefined => textIn(values[flag]);
  const list = (flag: FlagName): readonly string[] => listIn(values[flag]);
  const isSet = (flag: FlagName): boolean => values[flag] === true;
  return {
    name,
    namespace: text("namespace"),
    allNamespaces: isSet("all-namespaces"),
    output: formatIn(text("output")),
    headers: !isSet("no-headers"),
    watch: isSet("watch"),
    all: isSet("all"),
    isRelease: isSet("release"),
    effects: list("effect"),
    files: list("filename"),
    catalogue: text("catalogue"),
    remove: isSet("delete"),
    serverSide: isSet("server-side"),
    objects: isSet("objects"),
    goal: text("for"),
    timeout: text("timeout"),
    port: text("port"),
    plan: text("plan"),
    now: isSet("now"),
    yes: isSet("yes"),
    revision: numberIn(text("revision") ?? text("to-revision")),
    dryRun: isSet("dry-run"),
    force: isSet("force"),
    keepsVersion: isSet("keep-version"),
    keep: isSet("keep"),
    color: colorChoices.find((choice) => choice === text("color")) ?? "auto",
    help: isSet("help"),
    reach: { kubeconfig: text("kubeconfig"), context: text("context"), as: text("as"), groups: list("as-group") },
  };
}

const textIn = (value: Values[string]): string | undefined => (typeof value === "string" ? value : undefined);
const listIn = (value: Values[string]): readonly string[] => (Array.isArray(value) ? value.filter(isText) : []);
const isText = (value: unknown): value is string => typeof value === "string";

const numberIn = (text: string | undefined): number | undefined =>
  text !== undefined && revisionPattern.test(text) ? Number(text) : undefined;

const formatIn = (text: string | undefined): Format | undefined => formats.find((format) => format === text);

const revisionPattern = /^[1-9][0-9]{0,8}$/;

function checkNumber(flag: FlagName, given: Values[string]): void {
  if (typeof given !== "string" || revisionPattern.test(given)) return;
  throw new Trouble(`--${flag} is ${given}: write a number, as \`${invocation} history\` lists them`);
}

function check(verb: Verb, values: Values, positionals: readonly string[]): void {
  const help = `${invocation} ${verb.name} --help`;
  const surplus = positionals[verb.takes === "nothing" ? 0 : 1];
  if (surplus !== undefined) throw new Trouble(`${verb.name} does not take "${surplus}"`, [help]);
  if (verb.takes === "a name" && positionals[0] === undefined)
    throw new Trouble(`${verb.name} needs a name`, [`${invocation} status lists what there is`, help]);
  checkChoice("output", values["output"], verb.formats);
  checkChoice("color", values["color"], colorChoices);
  for (const flag of ["revision", "to-revision"] as const) checkNumber(flag, values[flag]);
  if (values["all-namespaces"] === true && positionals[0] !== undefined)
    throw new Trouble("a name is of one namespace: leave out --all-namespaces, or the name");
  if (values["as-group"] !== undefined && values["as"] === undefined)
    throw new Trouble("--as-group needs --as: a group is that of a user");
}

function checkChoice(flag: FlagName, given: Values[string], choices: readonly string[]): void {
  if (given === undefined || choices.some((choice) => choice === given)) return;
  throw new Trouble(`--${flag} is ${String(given)}: write ${choices.join(", ")}`);
}
