// What is remembered of a Database's changes: which one was agreed to, and which one waits.
import { z } from "zod";
import { ChangePolicy } from "../api/change-policy";
import { PendingChange } from "../api/pending-change";
import { Approval } from "../api/revisions/spec";
import { Accepted } from "./accepted";
import type { Desired } from "./desired";

/**
 * What is asked for, with everything that it refers to and the release of the code that applies it, as a digest; and the Database's own policy,
 * which no child shows.
 */
const Wished = z.object({ wish: z.string(), policy: ChangePolicy.optional() });
export type Wished = Readonly<z.infer<typeof Wished>>;

/**
 * With what it stands for, as that may have to be carried through when something else is asked for. Missing where another operator noted it, by
 * whose schema this is no spec.
 */
const Standing = Wished.extend({ accepted: Accepted.optional().catch(undefined) });
export type Standing = Readonly<z.infer<typeof Standing>>;

/** What may be carried out: attempts, repairs and phases that serve it ask for nothing. */
export const Agreed = Standing.extend({
  /** What came through last, while this has not: it may be gone back to. */
  former: Standing.optional(),
  /** The last approval that was used. */
  used: z.string().optional(),
  /** Whether a person or a window let it through: that it restarts members, say, was agreed to. Missing: by no policy it could wait. */
  hasWaited: z.boolean().optional(),
  /** Whether who approved it said that windows do not matter. Missing: not. */
  isNow: z.boolean().optional(),
  /** By which plan, and of which generation; and who asked for it, where that is known. Missing: none was made, as no policy was in force. */
  plan: Approval.extend({ author: z.string().optional(), generation: z.int().optional() }).optional().catch(undefined),
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
  /** The number of its plan. Missing where an earlier operator noted it: the present one. */
  number: z.int().optional(),
  /** Whether an approval of this plan was seen: then it does not get too old. Missing: not. */
  isApproved: z.boolean().optional(),
});
export type Pending = Readonly<z.infer<typeof Pending>>;

/** Up to which generation of which Database all edits were let through that a turn saw. */
export const Seen = z.object({ uid: z.string(), generation: z.int() });
export type Seen = Readonly<z.infer<typeof Seen>>;

/** What of a record counts plans. */
export interface Plans {
  /** Plans that were used up, withdrawn or too old. Missing: none. */
  readonly plans?: number | undefined;
  readonly pending?: Pending | undefined;
  /** Missing: what the last run was for. */
  readonly seen?: Seen | undefined;
}

/** What is asked for, as a digest; `desired` is what was judged. Which backups retention must spare moves by itself. */
export const wishOf = (desired: Desired, digest: (desired: Desired) => string): string =>
  digest({ ...desired, keptBackups: [] });

/** Which number the plan for `wish` has: an approval of a former one does not fit it, be it otherwise the same. */
export const planNumber = ({ plans = 0, pending }: Plans, wish: string): number =>
  pending === undefined || pending.wish === wish ? plans : plans + 1;

/** How many former plans are remembered, so that an approval of one is told from a slip of the pen. */
export const mostFormer = 5;
