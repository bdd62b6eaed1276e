// The npm package of the plugin: one file without dependencies, and what kubectl completes by.
import { completionFile, programFile } from "../../plugin/command/name";
import { license, version } from "../../package.json";

/** What the file is made for. */
export const oldestNode = 22;

/** The licenses of what is in it. */
export const noticesFile = "THIRD-PARTY.txt";

/** Its package.json. */
export const packageManifest = (): unknown => ({
  name: programFile.replaceAll("_", "-"),
  version,
  description: "kubectl plugin for Databases: how they fare, what a change would do, and why something happened",
  license,
  engines: { node: `>=${oldestNode}` },
  bin: { [programFile]: programFile, [completionFile]: completionFile },
  files: [programFile, completionFile, "LICENSE", noticesFile],
});
