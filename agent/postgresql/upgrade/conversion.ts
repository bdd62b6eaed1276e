// What each step of a conversion is told.
import type { Log } from "../log";
import type { Majors } from "./plan";
import type { Places } from "./volume";

/** What is converted, and by whom. */
export interface Conversion extends Majors {
  readonly places: Pick<Places, "volume" | "data" | "work" | "former" | "converted">;
  /** Name of the Database. */
  readonly database: string;
  readonly superuser: string;
  readonly log: Log;
}
