// Runs programs that must end with code 0, some at a time, the longest first.
import pLimit from "p-limit";
import pc from "picocolors";
import { GO_ENVIRONMENT } from "../../tools/build/go";
import { CommandError, run } from "../../tools/host/command";
import { durationText } from "../../tools/progress";
import { checks } from "../suites";
import { stop } from "./stop";
import type { Tally } from "./tally";

/** How many at a time. */
const concurrency = 2;

/** Gets what each check took. */
export type OnCheck = (sentence: string, ms: number) => void;

/** Runs all checks, and says of each how it ended. */
export async function runChecks(root: string, onCheck: OnCheck): Promise<Tally> {
  const limit = pLimit(concurrency);
  const sentences = Object.keys(checks);
  const problems = await Promise.all(sentences.map((sentence) => limit(() => problemOf(sentence, root, onCheck))));
  const failures = sentences.filter((_, index) => problems[index] !== undefined);
  return { passed: sentences.length - failures.length, failed: failures.length, skipped: 0, failures };
}

async function problemOf(sentence: string, root: string, onCheck: OnCheck): Promise<string | undefined> {
  const [program = "", ...args] = checks[sentence] ?? [];
  const began = performance.now();
  const say = (sign: string, rest: string): void => {
    const ms = performance.now() - began;
    onCheck(sentence, ms);
    console.log(`${sign} ${sentence} ${pc.dim(`(${durationText(ms)})`)}${rest}`);
  };
  try {
    await run(program, args, { cwd: root, env: program === "go" ? GO_ENVIRONMENT : {}, signal: stop });
    say(pc.green("✔"), "");
    return undefined;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    say(pc.red("✖"), `\n${error.message}`);
    return error.message;
  }
}
