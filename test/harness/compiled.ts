// The programs under test as people run them: compiled, once for all tests of a file.
import { compiled, type Compiled } from "../../tools/compile/compile";

let known: Promise<Compiled> | undefined;

/** Files for `node`, as the sources were when the first test asked. */
export function compiledPrograms(): Promise<Compiled> {
  known ??= compiled();
  return known;
}
