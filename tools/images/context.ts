// Lays out what an image is built from.
import { cp } from "node:fs/promises";
import type { Log } from "../host/command";
import { imageDirectory } from "./directory";
import { directoryOf, type Recipe } from "./recipes";

/** Creates the directory `context` with all that the Dockerfile of `recipe` copies. */
export async function fillContext(
  recipe: Pick<Recipe, "name" | "directory" | "contents">,
  context: string,
  log: Log,
): Promise<void> {
  await cp(imageDirectory(directoryOf(recipe)), context, { recursive: true });
  await recipe.contents?.copyTo(context, log);
}
