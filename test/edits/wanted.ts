// How many edits a run makes, and which.
import { sourceSeed } from "../runner/seed";

export interface Wanted {
  readonly edits: number;
  readonly seed: number;
  /** For the name of a test. */
  readonly text: string;
}

/** `slice`: how many, unless EDITS says otherwise. Two runs with one seed make the same edits. */
export function wantedEdits(slice: number): Wanted {
  const edits = Number(process.env["EDITS"] ?? slice);
  const seed = Number(process.env["EDITS_SEED"] ?? sourceSeed().seed * 100);
  return { edits, seed, text: `${edits} edits, EDITS_SEED=${seed}` };
}
