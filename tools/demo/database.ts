// What every chapter of the demo does with a Database, whatever its engine.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import pc from "picocolors";
import { parse } from "yaml";
import { z } from "zod";
import { projectRoot } from "../platform/platform";
import { TreeObject, treeLines } from "./children";
import { ask, askUntilAnswered, type DatabasePlace, type Query } from "./client";
import type { Session } from "./session";

const Example = z.looseObject({ metadata: z.looseObject({}), spec: z.looseObject({ version: z.string() }) });
const kinds =
  "statefulsets,pods,services,secrets,configmaps,pvc,serviceaccounts,roles,rolebindings,jobs,cronjobs,pdb,networkpolicies";

/** An example as the demo applies it. */
export interface Applied {
  /** Below examples/. */
  readonly file: string;
  readonly place: DatabasePlace;
  /** Fields of the spec that take the place of the example's, such as the version that the catalogue has; undefined leaves one out. */
  readonly spec: Readonly<Record<string, unknown>> & { readonly version: string };
  /** What is said of those. */
  readonly remark?: string;
}

/** Applies an example, in a namespace that is created where it is missing. */
export async function applyExample(session: Session, { file, place, spec, remark }: Applied): Promise<void> {
  const example = Example.parse(parse(await readFile(join(projectRoot, "examples", file), "utf8")));
  const object = {
    ...example,
    metadata: { ...example.metadata, namespace: place.namespace },
    spec: { ...example.spec, ...spec },
  };
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: place.namespace } };
  await session.kubectl(["apply", "-f", "-"], JSON.stringify(namespace));
  session.progress.line(pc.cyan(`$ kubectl apply -n ${place.namespace} -f examples/${file}`));
  if (remark !== undefined) session.progress.line(pc.dim(`  # ${remark}`));
  session.progress.line(`  ${(await session.kubectl(["apply", "-f", "-"], JSON.stringify(object))).trim()}`);
}

/** Waits until the Database is Ready at its present generation. */
export async function untilReady(session: Session, { namespace, name }: DatabasePlace): Promise<void> {
  await session.progress.step(`${name} is being applied`, async () => {
    const wait = (condition: string): Promise<string> =>
      session.kubectl(["wait", "database", name, "-n", namespace, `--for=condition=${condition}`, "--timeout=600s"]);
    const generation = await fieldOf(session, { namespace, name }, ".metadata.generation");
    const seen = `--for=jsonpath={.status.observedGeneration}=${generation}`;
    await session.kubectl(["wait", "database", name, "-n", namespace, seen, "--timeout=60s"]);
    await wait("Reconciling=false");
    await wait("Ready");
  });
}

/** Shows what the Database has, and what belongs to what. */
export async function showTree(session: Session, { namespace, name }: DatabasePlace): Promise<void> {
  const selector = `app=database,database=${name}`;
  const listed = z.object({ items: z.array(TreeObject) });
  const text = await session.kubectl(["get", kinds, "-n", namespace, "-l", selector, "-o", "json"]);
  const uid = await fieldOf(session, { namespace, name }, ".metadata.uid");
  const lines = treeLines({ title: `Database ${name}`, uid }, listed.parse(JSON.parse(text)).items);
  for (const line of lines) session.progress.line(`  ${line}`);
}

/** Sends a statement and shows it with its answer. */
export async function query(session: Session, asked: Query): Promise<void> {
  session.progress.line(pc.cyan(`${asked.service}=> ${asked.statement}`));
  const answer = await ask(session, asked);
  for (const line of answer.split("\n")) session.progress.line(`  ${line}`);
}

/** Deletes the pod of the primary by force, and writes as soon as that works again. `write`: a statement. */
export async function losePrimary(session: Session, write: Query): Promise<void> {
  const { namespace, name } = write;
  const showRoles = (): Promise<void> =>
    session.show("get", "pods", "-n", namespace, "-l", `app=database,database=${name},role`, "-L", "role");
  const primary = await fieldOf(session, write, ".status.primary");
  await showRoles();
  await session.show("delete", "pod", primary, "-n", namespace, "--force", "--grace-period=0", "--wait=false");
  session.progress.line(pc.cyan(`${write.service}=> ${write.statement}`));
  await session.progress.step("another member leads, and takes the write", () => askUntilAnswered(session, write));
  await untilReady(session, write);
  await showRoles();
}

/** A field of the Database, by its path from the root. */
function fieldOf(session: Session, { namespace, name }: DatabasePlace, path: string): Promise<string> {
  return session.kubectl(["get", "database", name, "-n", namespace, "-o", `jsonpath={${path}}`]);
}
