// The command `bundle`.
import { Command } from "commander";
import { stringify } from "yaml";
import { projectRoot } from "./platform";
import { catalogueSetting, isCatalogue, outlives, platformManifests } from "./manifests";

interface BundleOptions {
  readonly image: string;
  readonly catalogue?: string;
  readonly removable?: boolean;
  readonly set: readonly string[];
}

const header = `# The platform of database-operator as plain manifests: what \`pulumi up\` installs.
# Written by \`make bundle\`. Install it with: kubectl apply -f <this file>
`;

/** `bundle --image <image>`: prints the platform's manifests. */
export function bundleCommand(): Command {
  const more = (value: string, former: readonly string[]): string[] => [...former, value];
  return new Command("bundle")
    .description("Print the platform as YAML for kubectl, made by the program that `pulumi up` runs.")
    .requiredOption("--image <image>", "the operator's image")
    .option("--catalogue <file>", "the catalogue of versions, a JSON file; default: the cluster's stays as it is")
    .option("--set <key=value>", "another setting of the stack, such as replicas=1; may be repeated", more, [])
    .option("--removable", "only what may be deleted while there are databases")
    .action(async ({ image, catalogue, removable, set }: BundleOptions) => {
      const config = new Map([["image", image], ...set.map(settingOf)]);
      if (catalogue !== undefined) config.set("catalogue", await catalogueSetting(catalogue));
      // the program looks for its files from there
      process.chdir(projectRoot);
      const all = await platformManifests(Object.fromEntries(config));
      const manifests = catalogue === undefined ? all.filter((manifest) => !isCatalogue(manifest)) : all;
      // what others need goes last
      const wanted = removable ? manifests.filter((manifest) => !outlives(manifest)).reverse() : manifests;
      // kubectl reads YAML 1.1, where a bare `no` is a boolean
      const documents = wanted.map((manifest) => stringify(manifest, { lineWidth: 0, version: "1.1" }));
      process.stdout.write(`${header}---\n${documents.join("---\n")}`);
    });
}

function settingOf(text: string): readonly [string, string] {
  const [, key, value] = /^(\w+)=(.*)$/s.exec(text) ?? [];
  if (key === undefined || value === undefined) throw new Error(`--set ${text}: write key=value`);
  return [key, value];
}
