// The manifest by which krew installs the plugin: https://krew.sigs.k8s.io/docs/developer-guide/plugin-manifest/.
import { pluginName, programFile } from "../../plugin/command/name";
import { version } from "../../package.json";

/** An archive with the plugin as a single executable. */
export interface Archive {
  readonly os: "linux";
  readonly arch: "amd64" | "arm64";
  readonly uri: string;
  readonly sha256: string;
}

/** The manifest, to be written as YAML. */
export const krewManifest = (archives: readonly Archive[]): unknown => ({
  apiVersion: "krew.googlecontainertools.github.com/v1alpha2",
  kind: "Plugin",
  metadata: { name: pluginName },
  spec: {
    version: `v${version}`,
    shortDescription: "How databases fare, and what changes would do",
    description: [
      "Shows how the Databases of database-operator fare: members, roles, backups, and what",
      "a person must do; what a change would do before it is applied; and why something",
      "happened. It approves changes that wait for a person, and changes nothing else; to read,",
      "the role view in a namespace is enough.",
      "",
    ].join("\n"),
    caveats: [
      "For completion of names and flags:",
      `  kubectl ${pluginName} completion > DIRECTORY-ON-PATH/${programFile.replace("kubectl-", "kubectl_complete-")}`,
      "and make that file executable.",
      "",
    ].join("\n"),
    platforms: archives.map(({ os, arch, uri, sha256 }) => ({
      selector: { matchLabels: { os, arch } },
      uri,
      sha256,
      bin: programFile,
      files: [
        { from: programFile, to: "." },
        { from: "LICENSE", to: "." },
      ],
    })),
  },
});
