// `make preview`: what applying or deleting the Databases of a file would do. It writes nothing.
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { text as textIn } from "node:stream/consumers";
import { help, parseArguments, type Arguments } from "./arguments";
import { documentsIn } from "./documents";
import { allLive, dryRun, live } from "./kubectl";
import { exitCodeOf, type Previewed } from "./plan";
import { openProxy } from "./proxy";
import { colors, plain, render } from "./render";
import { listOf } from "./report";
import type { Asked, PreviewOptions } from "./session";
import { Ahead } from "../stack/resident/ahead";

async function main(): Promise<void> {
  const parsed = parseArguments(process.argv.slice(2));
  switch (parsed.kind) {
    case "help":
      process.stdout.write(help);
      break;
    case "wrong":
      process.stderr.write(`${parsed.message}\n\n${help}`);
      process.exitCode = 2;
      break;
    case "preview":
      await (parsed.asked.all ? previewFleet : preview)(parsed.asked);
      break;
  }
}

async function preview(asked: Arguments): Promise<void> {
  const contents = await Promise.all(asked.files.map(contentOf));
  const documents = contents.flatMap(documentsIn);
  const skipped = documents.flatMap((document): Previewed[] => {
    if (document.kind === "other") {
      return [{ kind: "skipped", message: `${document.title}: not a Database, skipped` }];
    }
    return document.kind === "unreadable" ? [{ kind: "rejected", database: "?", message: document.message }] : [];
  });
  // kubectl is asked while the modules load, which takes longer
  const databases = documents.flatMap((document): Asked[] => {
    if (document.kind === "other" || document.kind === "unreadable") return [];
    const companion = document.kind === "companion" ? document.plural : undefined;
    const isBackup = document.kind === "backup";
    return [{ name: document.name, companion, isBackup, answer: ask(document.text, asked) }];
  });
  const all = [...skipped, ...(databases.length > 0 ? await previewThose(databases, asked) : [])];
  process.stdout.write(asked.output === "json" ? `${JSON.stringify(listOf(all), undefined, 2)}\n` : textOf(all));
  process.exitCode = exitCodeOf(all);
}

/** All Databases as they are, as this program would declare them. */
async function previewFleet(asked: Arguments): Promise<void> {
  const [objects, { namedIn, fleetText }] = await Promise.all([allLive(asked), import("./fleet-text.js")]);
  const catalogue = asked.catalogue === undefined ? undefined : await contentOf(asked.catalogue);
  const databases = objects.map((object): Asked => {
    const answer = Promise.resolve({ kind: "object", object, warnings: [] } as const);
    return { name: namedIn(object), companion: undefined, isBackup: false, answer };
  });
  const notes: string[] = [];
  const onPolicies = (source: string): void => void notes.push(source);
  const all = databases.length === 0 ? [] : await previewThose(databases, asked, { catalogue, onPolicies });
  process.stdout.write(
    asked.output === "json" ? `${JSON.stringify(listOf(all), undefined, 2)}\n` : fleetText(all, notes),
  );
  process.exitCode = exitCodeOf(all);
}

function textOf(all: readonly Previewed[]): string {
  const isColorful = process.stdout.isTTY && !process.env["NO_COLOR"];
  return render(all, isColorful ? colors : plain);
}

async function previewThose(
  databases: readonly Asked[],
  asked: Arguments,
  fleet: Pick<PreviewOptions, "catalogue" | "onPolicies"> = {},
): Promise<readonly Previewed[]> {
  const stopping = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      stopping.abort();
    });
  }
  const access = openProxy();
  const ahead = startAhead();
  // their failure is reported where they are used
  access.catch(() => undefined);
  ahead.catch(() => undefined);
  try {
    const { previewAll } = await import("./session.js");
    const options = { ...asked, access, environment: process.env, ...fleet, signal: stopping.signal, ahead };
    return await previewAll(databases, options);
  } finally {
    const closing = [access, ahead].map((opened) => opened.then((one) => one?.close()).catch(() => undefined));
    await Promise.all(closing);
  }
}

/** It takes as long to start as the modules to load. */
const startAhead = (): Promise<Ahead | undefined> =>
  process.env["DATABASE_OPERATOR_PULUMI"] === "cli"
    ? Promise.resolve(undefined)
    : Ahead.start({ workDirectory: tmpdir() });

const ask = (text: string, asked: Arguments): Asked["answer"] => (asked.remove ? live : dryRun)(text, asked);

async function contentOf(file: string): Promise<string> {
  if (file === "-") return textIn(process.stdin);
  return readFile(file, "utf8").catch((error: unknown) => {
    throw new Error(`cannot read ${file}: ${error instanceof Error ? error.message : String(error)}`);
  });
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
});
