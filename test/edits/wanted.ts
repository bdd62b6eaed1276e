// How many edits a run makes, and which.
import { Engine } from "../../operator/api/spec";
import { sourceSeed } from "../runner/seed";

export interface Wanted {
  readonly edits: number;
  readonly seed: number;
  /** Of Databases of this engine alone; default: of all. */
  readonly engine: Engine | undefined;
  /** For the name of a test. */
  readonly text: string;
}

/** `slice`: how many, unless EDITS says otherwise; of the engine that ENGINE names. Two runs with one seed make the same edits. */
export function wantedEdits(slice: number): Wanted {
  const edits = Number(process.env["EDITS"] ?? slice);
  const seed = Number(process.env["EDITS_SEED"] ?? sourceSeed().seed * 100);
  const engine = Engine.optional().parse(process.env["ENGINE"] || undefined);
  const of = engine === undefined ? "" : ` of ${engine}`;
  return { edits, seed, engine, text: `${edits} edits${of}, EDITS_SEED=${seed}` };
}
