// Stacks of the platform that a test creates beside the local one: Pulumi writes a file for each into the work tree.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { projectRoot } from "../../tools/platform/platform";

export class MadeStacks {
  readonly #pulumi: (...args: string[]) => Promise<unknown>;
  readonly #names: string[] = [];

  constructor(pulumi: (...args: string[]) => Promise<unknown>) {
    this.#pulumi = pulumi;
  }

  async make(stack: string): Promise<void> {
    this.#names.push(stack);
    await this.#pulumi("stack", "init", stack, "--no-select");
  }

  /** Removes their files. */
  async forget(): Promise<void> {
    for (const name of this.#names) await rm(join(projectRoot, "stacks", `Pulumi.${name}.yaml`), { force: true });
  }
}
