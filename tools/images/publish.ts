// Gives the operator's image your own name and pushes it: with Docker where its daemon runs, else with buildah.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Log, run, succeeds } from "../host/command";
import { buildImages, openStorage } from "./build";
import { fillContext } from "./context";
import type { ImageStore } from "./load";
import { RECIPES } from "./recipes";

/** Builds the operator's image and calls it `reference`, in the storage of whatever builds. Returns what built it. */
export async function buildOperatorImage(reference: string, log: Log): Promise<"docker" | "buildah"> {
  if (await hasDocker()) {
    await buildWithDocker(reference, log);
    return "docker";
  }
  const [built] = await buildImages({ log, only: ["operator"] });
  if (!built) throw new Error("there is no recipe for the operator's image");
  const storage = await openStorage();
  if (!(await storage.has(built.image))) await storage.load(built.archive);
  await storage.tag(built.image, reference);
  return "buildah";
}

/** Pushes what `buildOperatorImage` built to the registry in its name. */
export async function pushImage(reference: string, log: Log): Promise<void> {
  if (await hasDocker()) await run("docker", ["push", reference], { log });
  else await (await openStorage()).push(reference, log);
}

/** Puts an image that buildah holds into a node, under its own name. */
export async function loadReference(node: ImageStore, reference: string): Promise<void> {
  const workspace = await mkdtemp(join(tmpdir(), "image-"));
  try {
    const archive = join(workspace, "image.tar");
    await (await openStorage()).save(reference, archive);
    await node.importImages(archive);
  } finally {
    await rm(workspace, { recursive: true, force: true });
  }
}

// a client without a daemon builds nothing
const hasDocker = (): Promise<boolean> => succeeds("docker", ["version", "--format", "{{.Server.Version}}"]);

async function buildWithDocker(reference: string, log: Log): Promise<void> {
  const workspace = await mkdtemp(join(tmpdir(), "image-operator-"));
  try {
    const context = join(workspace, "context");
    const recipe = RECIPES.find(({ name }) => name === "operator");
    if (recipe) await fillContext(recipe, context, log);
    await run("docker", ["build", "--tag", reference, context], { log });
  } finally {
    await rm(workspace, { recursive: true, force: true });
  }
}
