// The npm package of the plugin: one file without dependencies, and what kubectl completes by.
import { completionFile, programFile } from "../../plugin/command/name";
import { engines, license, version } from "../../package.json";

/** Its package.json. */
export const packageManifest = (): unknown => ({
  name: programFile.replaceAll("_", "-"),
  version,
  description: "kubectl plugin for Databases: how they fare, what a change would do, and why something happened",
  license,
  engines,
  bin: { [programFile]: programFile, [completionFile]: completionFile },
  files: [programFile, completionFile],
});
