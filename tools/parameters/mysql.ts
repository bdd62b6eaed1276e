// Writes components/engines/mysql/parameters-<version>.json: what the server of the image says about its parameters.
// Run with `tsx tools/parameters/mysql.ts` as root, where `make images` has built the image.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { format, resolveConfig } from "prettier";
import { buildImages, openStorage } from "../images/build";
import { projectRoot } from "../platform/platform";
import { parametersFrom, type Answers } from "./mysql-answers";
import { script, separator } from "./mysql-questions";

async function main(): Promise<void> {
  const log = (line: string): void => {
    console.error(line);
  };
  const [image] = await buildImages({ log, only: ["mysql"] });
  if (image?.server === undefined) throw new Error("there is no image of MySQL");
  const storage = await openStorage();
  if (!(await storage.has(image.image))) await storage.load(image.archive);
  const printed = await storage.shell(image.image, script);
  const [metadata = "", options = "", same = "", values = ""] = printed.split(`${separator}\n`);
  const answers: Answers = { metadata, options, same, values };
  const file = join(projectRoot, `components/engines/mysql/parameters-${image.server.version}.json`);
  const text = JSON.stringify(parametersFrom(answers));
  await writeFile(file, await format(text, { ...(await resolveConfig(file)), filepath: file }));
  console.log(file);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
