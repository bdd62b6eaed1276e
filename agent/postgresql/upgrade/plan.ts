// What is to be done with the files of member 0, from what is on its volume: pure. Wherever the program was killed, the rest follows.
import { z } from "zod";

/** On the volume from before the first rename on: which files took the place of which. Members go by it, too. */
export const Exchange = z.object({
  /** Major versions. */
  from: z.string(),
  to: z.string(),
  /** System identifiers of their clusters. */
  former: z.string(),
  present: z.string(),
  /** Of a conversion: the last checkpoint of the files that were converted. With another one they have been written to since. */
  checkpoint: z.string().exactOptional(),
});
export type Exchange = Readonly<z.infer<typeof Exchange>>;

/** What is on the volume. */
export interface Found {
  /** Major version of the files where members look for them; undefined where there are none. */
  readonly data: string | undefined;
  /** Major versions of the files that are kept beside them. */
  readonly kept: readonly string[];
  readonly exchange: Exchange | undefined;
  /** The last checkpoint of the files of the version that the exchange leaves, wherever they are; undefined where they are not there. */
  readonly checkpoint: string | undefined;
}

/** Major versions of the two sides. */
export interface Majors {
  readonly from: string;
  readonly to: string;
}

/** What is to be done. */
export type Step =
  | { readonly kind: "done" }
  | { readonly kind: "refused"; readonly why: string }
  /** Those where members look are put aside, where there are any, and then others come into their place. */
  | { readonly kind: "exchange"; readonly aside: string | undefined; readonly place: "converted" | "kept" };

/** The same, or the files of the target are to be made from the beginning. */
export type Plan = Step | { readonly kind: "convert" };

const done: Step = { kind: "done" };
const refused = (why: string): Step => ({ kind: "refused", why });

/** For the way to the target. */
export function planOfConversion({ data, kept, exchange, checkpoint }: Found, { from, to }: Majors): Plan {
  if (data === to) return done;
  // written once they are complete: members may have run with the former ones since
  const isReady = exchange?.to === to && checkpoint !== undefined && exchange.checkpoint === checkpoint;
  if (isReady && (data === from || kept.includes(from))) return { kind: "exchange", aside: data, place: "converted" };
  if (data !== from) return refused(`there are no files of PostgreSQL ${from} on the volume of member 0`);
  const [inTheWay] = kept;
  return inTheWay === undefined
    ? { kind: "convert" }
    : refused(`files of PostgreSQL ${inTheWay} are kept on the volume: confirm the version that runs first`);
}

/** For the way back. */
export function planOfReturn({ data, kept }: Found, { from, to }: Majors): Step {
  if (data === from) return done;
  const isKept = kept.includes(from);
  if (isKept && data === undefined) return { kind: "exchange", aside: undefined, place: "kept" };
  if (isKept && data === to && !kept.includes(to)) return { kind: "exchange", aside: to, place: "kept" };
  return refused(`the files of PostgreSQL ${from} are not on the volume of member 0 any more, as far as can be seen`);
}

/** The same, the other way round. */
export const reversed = ({ from, to, former, present }: Exchange): Exchange => ({
  ...{ from: to, to: from },
  ...{ former: present, present: former },
});
