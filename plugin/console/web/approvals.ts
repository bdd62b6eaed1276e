// The forms of a change that waits: an approval, and taking it back. Both are the person's own patch of the Database.
import { z } from "zod";
import { refusalOf } from "../../approve/refusal";
import { approve, mostWithdrawals, whoAsks, withdraw } from "../../approve/request";
import { ApiFailure } from "../../command/world";
import { databaseAt, type Place } from "../data/read";
import type { Notice } from "../pages/database";
import { refused } from "./answer";
import type { ConsoleContext } from "./context";

const Approval = z.object({ digest: z.string().regex(/^[0-9a-f]{6,64}$/), when: z.enum(["window", "now"]) });

type Form = Readonly<Record<string, unknown>>;

export async function approved(c: ConsoleContext, place: Place, form: Form): Promise<Response> {
  const { data } = Approval.safeParse(form);
  if (data === undefined)
    return refused(c, 400, { title: "Not approved", sentences: ["The form does not say which plan is meant."] });
  const { cluster } = c.var.visitor.person;
  const user = await whoAsks(cluster);
  try {
    await approve(cluster, { ...place, digest: data.digest, isNow: data.when === "now", user }, false);
    return back(c, place, "approved");
  } catch (error) {
    return unapproved(c, place, { error, user });
  }
}

interface Failed {
  readonly error: unknown;
  readonly user: string | undefined;
}

function unapproved(c: ConsoleContext, place: Place, { error, user }: Failed): Response {
  if (!(error instanceof ApiFailure) || [0, 401, 404].includes(error.status)) throw error;
  const refusal = refusalOf(error, { ...place, user });
  const next = { href: c.var.frame.links.database(place), words: "Back to the Database" };
  if (refusal.kind === "denied")
    return refused(c, 403, { title: "You may not do this", sentences: [refusal.text, ...refusal.hints], next });
  const status = refusal.kind === "moved" ? 409 : 403;
  return refused(c, status, { title: "Not done", sentences: [refusal.text], next });
}

const Withdrawal = Approval.pick({ digest: true });

/** Free for everyone who may patch the Database, until the change has begun; of the plan that was shown, and no other. */
export async function withdrawn(c: ConsoleContext, place: Place, form: Form): Promise<Response> {
  const { data } = Withdrawal.safeParse(form);
  if (data === undefined)
    return refused(c, 400, { title: "Not taken back", sentences: ["The form does not say which plan is meant."] });
  const { cluster } = c.var.visitor.person;
  try {
    for (let tries = 1; ; tries++) {
      const { metadata, approved: digests } = (await databaseAt(cluster, place)).database;
      if (digests.some((digest) => digest !== data.digest)) return otherApproved(c, place);
      const conflict = await withdraw(cluster, { ...place, resourceVersion: metadata.resourceVersion });
      if (conflict === undefined) return back(c, place, "withdrawn");
      if (tries === mostWithdrawals) throw conflict;
    }
  } catch (error) {
    return unapproved(c, place, { error, user: await whoAsks(cluster) });
  }
}

function otherApproved(c: ConsoleContext, place: Place): Response {
  const next = { href: c.var.frame.links.database(place), words: "Back to the Database" };
  const sentences = ["By now an approval of another plan is on record: look at that one."];
  return refused(c, 409, { title: "Not taken back", sentences, next });
}

/** By another request, so that to load the page again repeats nothing. */
const back = (c: ConsoleContext, place: Place, notice: Notice): Response =>
  c.redirect(`${c.var.frame.links.database(place)}?done=${notice}`, 303);
