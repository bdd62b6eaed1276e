// What runs in the process of a batch: several files of tests, each a suite of its own, so that hooks of one are not another's.
import { createRequire } from "node:module";
import { relative } from "node:path";
import { suite } from "node:test";

const load = createRequire(__filename);

/** Registers the tests of these files, given in full. A file that cannot be loaded fails alone. */
export function registerFiles(root: string, files: readonly string[]): void {
  for (const file of files) {
    void suite(relative(root, file), () => {
      // in order, and within the suite: an import would register its tests too late
      load(file);
    });
  }
}
