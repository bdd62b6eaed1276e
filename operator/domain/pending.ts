// What is remembered of a Database's changes: which one was agreed to, and which one waits.
import { z } from "zod";
import { ChangePolicy } from "../api/change-policy";
import { PendingChange } from "../api/pending-change";
import { Approval } from "../api/revisions/spec";
import type { Desired } from "./desired";

/**
 * What is asked for, with everything that it refers to and the release of the code that applies it, as a digest; and the Database's own policy,
 * which no child shows.
 */
const Wished = z.object({ wish: z.string(), policy: ChangePolicy.optional() });
export type Wished = Readonly<z.infer<typeof Wished>>;

/** What may be carried out: attempts, repairs and phases that serve it ask for nothing. */
export const Agreed = Wished.extend({
  /** What came through last, while this has not: it may be gone back to. */
  former: Wished.optional(),
  /** The last approval that was used. */
  used: z.string().optional(),
  /** By which plan, and who asked for it, where that is known. Missing: none was made, as no policy was in force. */
  plan: Approval.extend({ author: z.string().optional() }).optional().catch(undefined),
});
export type Agreed = Readonly<z.infer<typeof Agreed>>;

/** A change that waits. */
export const Pending = Wished.extend({
  /** What is shown of it. */
  shown: PendingChange,
  /** Digests that its plan had before, the latest first. */
  former: z.array(z.string()),
  /** Who asked for it, where that is known of each edit; missing where it is not, empty where no edit did. */
  authors: z.array(z.string()).optional(),
  /** What the last run had applied when it was planned. */
  applied: z.string().optional(),
  /** The primary when it was planned. */
  primary: z.string().optional(),
  /** The digest that it had when it was too old to be approved; missing where it never was. */
  late: z.string().optional(),
  /** Whether an approval of this plan was seen: then it does not get too old. Missing: not. */
  isApproved: z.boolean().optional(),
});
export type Pending = Readonly<z.infer<typeof Pending>>;

/** What of a record counts plans. */
export interface Plans {
  /** Plans that were used up, withdrawn or too old. Missing: none. */
  readonly plans?: number | undefined;
  readonly pending?: Pending | undefined;
}

/** What is asked for, as a digest; `desired` is what was judged. Which backups retention must spare moves by itself. */
export const wishOf = (desired: Desired, digest: (desired: Desired) => string): string =>
  digest({ ...desired, keptBackups: [] });

/** Which number the plan for `wish` has: an approval of a former one does not fit it, be it otherwise the same. */
export const planNumber = ({ plans = 0, pending }: Plans, wish: string): number =>
  pending === undefined || pending.wish === wish ? plans : plans + 1;

/** How many former plans are remembered, so that an approval of one is told from a slip of the pen. */
export const mostFormer = 5;
