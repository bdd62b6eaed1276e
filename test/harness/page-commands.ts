// The commands of a chapter of the documentation, as a reader pastes them into a shell: so a test fails where the page is wrong.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { run } from "../../tools/host/command";
import { cacheFor } from "./kubectl";

/** One block of commands. */
export interface Block {
  /** As a shell reads it. */
  readonly script: string;
  /** The variables that it begins with: each reader has other values. */
  readonly asks: readonly string[];
}

/** In their order: those of a chapter, but not those of the chapters below it that are as deep as it is. Throws where there are none. */
export function blocksUnder(page: string, heading: string): readonly Block[] {
  const begin = page.split("\n").findIndex((line) => line === heading);
  if (begin < 0) throw new Error(`there is no heading "${heading}"`);
  const depth = /^#+ /.exec(heading)?.[0] ?? "";
  const [chapter = ""] = page
    .split("\n")
    .slice(begin + 1)
    .join("\n")
    .split(`\n${depth}`);
  const found = [...chapter.matchAll(/^```console\n(.*?)^```$/gms)].map(([, text = ""]) => blockOf(text));
  if (found.length === 0) throw new Error(`there are no commands under "${heading}"`);
  return found;
}

const ofReader = /^export (?=\w+=)/;

function blockOf(text: string): Block {
  const lines = text.split("\n").map((line) => line.replace(/^\$ /, ""));
  const given = lines.filter((line) => ofReader.test(line));
  const asks = given.flatMap((line) => [...line.matchAll(/(?<= )(\w+)=/g)].map(([, name = ""]) => name));
  return { script: lines.filter((line) => !ofReader.test(line)).join("\n"), asks };
}

/** Where a reader is. */
export interface Reader {
  /** Of the cluster: PATH and KUBECONFIG. */
  readonly environment: Readonly<Record<string, string>>;
  /** Holds the files that the commands name. */
  readonly directory: string;
  /** The reader's own values. */
  readonly values: Readonly<Record<string, string>>;
}

/** A chapter with its reader. */
export class PageCommands {
  private constructor(
    private readonly blocks: readonly Block[],
    private readonly reader: Reader,
  ) {}

  /** `path`: of the page, below the root. */
  static async open(path: string, heading: string, reader: Reader): Promise<PageCommands> {
    const page = await readFile(join(__dirname, "../..", path), "utf8");
    return new PageCommands(blocksUnder(page, heading), reader);
  }

  /**
   * Runs the one block that has this text, and returns what it printed. It ends where a command fails, and, like a wait of a reader who has
   * seen enough, after some minutes.
   */
  async run(text: string, more: Readonly<Record<string, string>> = {}): Promise<string> {
    const [block, ...others] = this.blocks.filter(({ script }) => script.includes(text));
    if (block === undefined || others.length > 0)
      throw new Error(`${others.length + (block ? 1 : 0)} blocks have "${text}"`);
    const { environment, directory, values } = this.reader;
    const own = { ...values, ...more };
    const missing = block.asks.filter((name) => own[name] === undefined);
    if (missing.length > 0) throw new Error(`the page asks for ${missing.join(", ")}`);
    const env = { ...environment, ...cacheFor(environment), ...own };
    const signal = AbortSignal.timeout(patienceMs);
    return run("bash", ["-euo", "pipefail", "-c", block.script], { cwd: directory, env, signal });
  }
}

/** A test has five minutes. */
const patienceMs = 280_000;
