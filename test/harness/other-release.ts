// The operator as another release of it: its program declares the members' pods otherwise, so that members restart for it.
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { programVersion } from "../../operator/stack/program-version";
import { launcherOf } from "../../tools/compile/launcher";
import { compiledPrograms } from "./compiled";

/** A compiled operator, for `node`. */
export interface OtherRelease {
  readonly program: string;
  forget(): Promise<void>;
}

/** Of the preference of members for different zones: no node here has one, and the pods' template shows it. */
const replaced = [
  ['"topology.kubernetes.io/zone", weight: 50', '"topology.kubernetes.io/zone", weight: 49'],
  [JSON.stringify(programVersion()), JSON.stringify("another-release")],
] as const;

/** Throws where the compiled operator does not say what is to be replaced. */
export async function otherRelease(): Promise<OtherRelease> {
  const { operator } = await compiledPrograms();
  const name = basename(operator);
  let text = await readFile(join(dirname(operator), "programs", name), "utf8");
  for (const [from, to] of replaced) {
    if (!text.includes(from)) throw new Error(`the compiled operator does not say ${from}`);
    text = text.replaceAll(from, to);
  }
  const directory = await mkdtemp(join(tmpdir(), "operator-release-"));
  await mkdir(join(directory, "programs"));
  await writeFile(join(directory, "programs", name), text);
  const program = join(directory, name);
  await writeFile(program, launcherOf(name));
  return { program, forget: () => rm(directory, { recursive: true, force: true }) };
}
