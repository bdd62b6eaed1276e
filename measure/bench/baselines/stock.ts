// The stock Automation API, as its documentation shows it: createOrSelectStack, then up. A process of its own.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LocalWorkspace, type Stack } from "@pulumi/pulumi/automation";
import { pulumiEnvironment } from "../../../operator/stack/environment";
import { project, stackNameOf } from "../../../operator/domain/stack-names";
import { programOf } from "../../../operator/stack/program";
import { programFor } from "./program";
import type { Command } from "./protocol";
import { serve } from "./serve";

const directory = mkdtempSync(join(tmpdir(), "bench-stock-"));
// the Automation API creates a workspace in the temporary directory for each stack, and leaves it there
process.env["TMPDIR"] = directory;
process.once("exit", () => {
  rmSync(directory, { recursive: true, force: true });
});

/** A file backend, and a home of its own so that this machine's login is not touched; all else as it comes. */
const envVars = {
  ...pulumiEnvironment,
  PULUMI_HOME: join(directory, "home"),
  PULUMI_BACKEND_URL: `file://${directory}`,
  PULUMI_CONFIG_PASSPHRASE: "bench",
};

const stackFor = (command: Command): Promise<Stack> =>
  LocalWorkspace.createOrSelectStack(
    {
      stackName: stackNameOf(command.namespace, command.name),
      projectName: project,
      // unprotected: what the stock API created it must be able to destroy
      program: programOf(programFor(command), {}),
    },
    { envVars },
  );

serve(async (command) => {
  const stack = await stackFor(command);
  switch (command.do) {
    case "create":
    case "update":
      await stack.up();
      return undefined;
    case "preview":
      await stack.preview();
      return undefined;
    case "delete":
      await stack.destroy();
      return undefined;
    case "children":
      throw new Error("not asked of the stock API");
  }
});
