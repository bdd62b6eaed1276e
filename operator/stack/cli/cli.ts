// Pulumi as one CLI process for each run, in a private directory that holds the state for as long as the run lasts.
import type { PulumiCommand } from "@pulumi/pulumi/automation";
import { pulumiEnvironment } from "../environment";
import { project } from "../../domain/stack-names";
import type { Pulumi } from "../pulumi";
import { commandFor } from "./command";
import { RunDirectory } from "./run-directory";

export interface CliOptions {
  /** Asked for the CLI by each run. */
  readonly command: () => Promise<PulumiCommand>;
  /** Key of the stacks' secrets. */
  readonly passphrase: string;
  /** Parent of the runs' directories; on a tmpfs where there is one. */
  readonly workDirectory: string;
  /** Notified of each process that is started for a run. */
  readonly onProcess: () => void;
}

export function createCli({ command, passphrase, workDirectory, onProcess }: CliOptions): Pulumi {
  return {
    isResident: false,
    async open({ stack, checkpoint, program, signal }) {
      const found = await command();
      const directory = await RunDirectory.create(workDirectory, stack, checkpoint.text);
      return {
        workspace: {
          workDir: directory.work,
          pulumiHome: directory.home,
          pulumiCommand: commandFor(found, { program, signal, onProcess }),
          projectSettings: { name: project, runtime: "nodejs", backend: { url: directory.backend } },
          stackSettings: { [stack]: { encryptionSalt: checkpoint.salt } },
          envVars: { ...environment, PULUMI_CONFIG_PASSPHRASE: passphrase, PULUMI_BACKEND_URL: directory.backend },
        },
        listen: (onEvent) => ({ onEvent }),
        checkpoint: () => directory.checkpoint(),
        close: () => directory.remove(),
      };
    },
    allowWritesUntil: () => undefined,
    close: () => Promise.resolve(),
  };
}

const environment: Readonly<Record<string, string>> = {
  ...pulumiEnvironment,
  // processes that live for a second collect less garbage than they could
  GOGC: "400",
  PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
  PULUMI_DIY_BACKEND_DISABLE_CHECKPOINT_BACKUPS: "true",
};
