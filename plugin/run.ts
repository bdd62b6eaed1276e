// One command line, from its words to the exit code.
import { parseArguments } from "./command/arguments";
import { helpOf, overview } from "./command/help";
import { invocation } from "./command/name";
import { nearTo } from "./command/near";
import { Trouble, troubleText } from "./command/trouble";
import type { ExitCode } from "./command/verb";
import type { World } from "./command/world";
import { verbs } from "./verbs";

/** `args`: what stands behind the program. Never rejects. */
export async function runCommand(args: readonly string[], world: World): Promise<ExitCode> {
  try {
    return await dispatched(args, world);
  } catch (error) {
    world.err(troubleText(error));
    return 2;
  }
}

async function dispatched([first = "help", ...rest]: readonly string[], world: World): Promise<ExitCode> {
  if (first === "__complete" || first === "__completeNoDesc") {
    const { complete } = await import("./completion.js");
    await complete(verbs, rest, world);
    return 0;
  }
  if (["help", "--help", "-h"].includes(first)) return helpFor(rest[0], world);
  const verb = verbs.find(({ name }) => name === first);
  if (verb === undefined) throw unknownVerb(first);
  const asked = parseArguments(verb, rest);
  if (asked.help) return helpFor(first, world);
  const run = await verb.load();
  return run(asked, world);
}

function helpFor(name: string | undefined, world: World): ExitCode {
  const verb = verbs.find((one) => one.name === name);
  if (name !== undefined && verb === undefined) throw unknownVerb(name);
  world.out(verb === undefined ? overview(verbs) : helpOf(verb));
  return 0;
}

function unknownVerb(given: string): Trouble {
  const names = verbs.map(({ name }) => name);
  if (given.startsWith("-")) return new Trouble(`flags come behind a verb: ${given}`, [`${invocation} --help`]);
  const near = nearTo(given, names);
  const hint = near.length > 0 ? `did you mean ${near.join(" or ")}?` : `there are ${names.join(", ")}`;
  return new Trouble(`there is no verb "${given}"`, [hint, `${invocation} --help`]);
}
