// The change that waits: what differs, what that does, for what it waits, and the button of those who may approve it.
import type { JSX } from "hono/jsx/jsx-runtime";
import { isApproved, shortened, waitsForApproval, type SeenPending } from "../../objects/pending";
import { awaitedText } from "../../output/pending";
import type { Place } from "../data/read";
import { Consequences } from "./consequences";
import { Fields } from "./fields";
import type { Frame } from "./frame";
import { Ago, EffectMark, Moment } from "./words";

/** A change that waits, and what the person may do about it. */
export interface Waiting {
  readonly place: Place;
  readonly pending: SeenPending;
  readonly members: readonly string[];
  /** What the person lacks of what an approval needs. */
  readonly missing: readonly string[];
}

interface PendingProps {
  readonly waiting: Waiting;
  readonly frame: Frame;
}

export function Pending({ waiting, frame }: PendingProps): JSX.Element {
  const { pending, members } = waiting;
  return (
    <section class="card pending" aria-labelledby="pending-title">
      <h2 id="pending-title">
        A change waits <EffectMark effect={pending.effect} />
      </h2>
      <p>{`It waits ${awaitedText(pending)}.`}</p>
      <Asked pending={pending} now={frame.now} />
      {pending.changes.length > 0 && <Fields label="What differs from what runs" fields={pending.changes} />}
      <h3>What it does</h3>
      <Consequences consequences={pending.consequences} members={members} />
      <p class="quiet">
        Plan <code>{shortened(pending.digest)}</code>
        {pending.approveBefore !== undefined && (
          <>
            , can be approved until <Moment at={pending.approveBefore} />
          </>
        )}
      </p>
      <Verdict waiting={waiting} frame={frame} />
    </section>
  );
}

/** Where the operator is of another release, and says it in another way. */
export const PendingUnread = (): JSX.Element => (
  <section class="card pending" aria-labelledby="pending-title">
    <h2 id="pending-title">A change waits</h2>
    <p class="warning">
      This console cannot read what the operator says of it, and so approves nothing: use the console of the operator's
      release.
    </p>
  </section>
);

function Asked({ pending: { since, requestedBy }, now }: { pending: SeenPending; now: Date }): JSX.Element {
  if (since === undefined && requestedBy.length === 0) return <></>;
  return (
    <p class="quiet">
      Asked for {since !== undefined && <Ago at={since} now={now} />}
      {requestedBy.length > 0 && <bdi>{` by ${requestedBy.join(" and ")}`}</bdi>}
    </p>
  );
}

function Verdict({ waiting, frame }: PendingProps): JSX.Element {
  const { pending, missing } = waiting;
  if (isApproved(pending)) return <Approved waiting={waiting} frame={frame} />;
  return (
    <>
      {pending.approval !== undefined && (
        <p class="warning">{`The approval that it carries does not count: ${pending.approval.message}`}</p>
      )}
      {missing.length > 0 ? <MayNot missing={missing} /> : <Approve waiting={waiting} frame={frame} />}
    </>
  );
}

function MayNot({ missing }: { readonly missing: readonly string[] }): JSX.Element {
  return (
    <p class="quiet">
      {`You may not approve it: that needs the ${missing.length === 1 ? "verb" : "verbs"} ${missing.join(" and ")} on this Database. Those who run the platform give it, by the ClusterRole database-operator-approve.`}
    </p>
  );
}

function Approve({ waiting, frame }: PendingProps): JSX.Element {
  const { pending, place } = waiting;
  const isWindowed = pending.waitsFor.includes("Window");
  // who need not be asked may still be sooner than the window
  if (!waitsForApproval(pending) && !isWindowed) return <></>;
  return (
    <form method="post" action={frame.links.approve(place)} class="actions" data-plan={pending.digest}>
      <input type="hidden" name="token" value={frame.formToken} />
      <input type="hidden" name="digest" value={pending.digest} />
      {waitsForApproval(pending) && (
        <button type="submit" name="when" value="window" class="primary">
          {isWindowed ? "Approve, for its window" : "Approve this plan"}
        </button>
      )}
      {isWindowed && (
        <button type="submit" name="when" value="now">
          Approve, and do not wait for a window
        </button>
      )}
    </form>
  );
}

function Approved({ waiting, frame }: PendingProps): JSX.Element {
  const { pending, place, missing } = waiting;
  const by = pending.approval?.by;
  return (
    <form method="post" action={frame.links.withdraw(place)} class="actions">
      <p>Approved{by !== undefined && <bdi>{` by ${by}`}</bdi>}.</p>
      {!missing.includes("patch") && (
        <>
          <input type="hidden" name="token" value={frame.formToken} />
          <input type="hidden" name="digest" value={pending.digest} />
          <button type="submit">Take the approval back</button>
        </>
      )}
    </form>
  );
}
