// The Node that images get.
import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { projectRoot } from "../platform/platform";

/** Node as the project pins it. */
export const nodeProgram = (): Promise<string> => realpath(join(projectRoot, "node_modules", "node", "bin", "node"));
