// The chapter of a change that interrupts: seen before, approved, explained, and taken back, by the kubectl plugin.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import pc from "picocolors";
import { parse, stringify } from "yaml";
import { z } from "zod";
import { CommandError } from "../host/command";
import { waitFor } from "../host/wait";
import { projectRoot } from "../platform/platform";
import type { DatabasePlace } from "./client";
import { untilReady } from "./database";
import type { Session } from "./session";

const { namespace, name }: DatabasePlace = { namespace: "development", name: "development" };
const place = [name, "-n", namespace];
const plugin = "database-operator";

const Example = z.looseObject({ metadata: z.looseObject({}), spec: z.looseObject({}) });

/** Asks for a change that restarts the only member of examples/development.yaml, and goes back. */
export async function control(session: Session, version: string): Promise<void> {
  session.chapter("A change that interrupts: seen before, approved, explained, taken back");
  const changePolicy = { requireApproval: ["Downtime"] };
  const policy = JSON.stringify({ spec: { changePolicy } });
  await session.show("patch", "database", ...place, "--type=merge", "-p", policy);
  const changed = await exampleWith({ version, config: { max_connections: "150" }, changePolicy });
  await preview(session, changed);
  session.progress.line(pc.cyan("$ kubectl apply -f -    # the same"));
  session.progress.line(`  ${(await session.kubectl(["apply", "-f", "-"], JSON.stringify(changed))).trim()}`);
  await approve(session);
  await untilReady(session, { namespace, name });
  await session.show(plugin, "why", ...place);
  const before = await newestRevision(session);
  await session.show(plugin, "rollback", ...place, "--yes");
  await approve(session);
  // nothing of what follows needs that member: it restarts meanwhile
  await session.progress.step("the former spec is carried out", () =>
    waitFor(async () => ((await newestRevision(session)) === before ? undefined : true), {
      ...{ what: "the rollback to be carried out", timeoutSeconds: 60, everyMilliseconds: 250 },
    }),
  );
  await session.show(plugin, "history", ...place);
}

/** By its number, as a text. */
const newestRevision = (session: Session): Promise<string> =>
  session.kubectl(["get", "database", ...place, "-o", "jsonpath={.status.lastChange.revision}"]);

async function exampleWith(spec: object): Promise<object> {
  const example = Example.parse(parse(await readFile(join(projectRoot, "examples/development.yaml"), "utf8")));
  return {
    ...example,
    metadata: { ...example.metadata, namespace },
    spec: { ...example.spec, ...spec },
  };
}

/** It ends with 1, as something would change. */
async function preview(session: Session, database: object): Promise<void> {
  session.progress.line(pc.cyan(`$ kubectl ${plugin} preview -f - <<END`));
  for (const line of stringify(database).trimEnd().split("\n")) session.progress.line(pc.cyan(`  ${line}`));
  session.progress.line(pc.cyan("END"));
  const printed = await session
    .kubectl([plugin, "preview", "-f", "-"], JSON.stringify(database))
    .catch((error: unknown) => {
      if (error instanceof CommandError && error.code === 1) return error.printed;
      throw error;
    });
  for (const line of printed.split("\n")) session.progress.line(`  ${line}`);
}

/** Waits until the change does, and lets it through. */
async function approve(session: Session): Promise<void> {
  await session.kubectl(["wait", "db", ...place, "--for=condition=ChangePending", "--timeout=60s"]);
  await session.show(plugin, "approve", ...place, "--yes");
}
