// What is put on record of a change that waits: who asked for it, and what it changes.
import assert from "node:assert/strict";
import test from "node:test";
import { specOf } from "../../test/fakes/specs";
import { approvalKeys } from "../../contract/approvals";
import type { Foreseen } from "../domain/foreseen";
import type { Pending } from "../domain/pending";
import type { Accepted } from "../domain/accepted";
import { emptyRecord, type StackRecord } from "../domain/records";
import { withPending, type AskedChange } from "./ledger";

const uid = "uid-1";
const now = new Date("2026-11-27T15:00:00Z");
const plan: Extract<Foreseen, { kind: "plan" }> = {
  ...{ kind: "plan", digest: "plan-1", wish: "wish-1", effects: [], primary: undefined },
};

type Fields = Readonly<Record<string, unknown>>;
const acceptedOf = (spec: Fields, config: Readonly<Record<string, string>> = {}): Accepted => ({
  ...{ spec: specOf(spec), image: "i:1", config },
});

/** Of a Database that ran. */
const recordOf = (accepted: Accepted, more: Partial<StackRecord> = {}): StackRecord => ({
  ...{ ...emptyRecord(uid), accepted, release: "release-1", seen: { uid, generation: 1 } },
  ...{ agreed: { wish: "wish-0", policy: accepted.spec.changePolicy }, ...more },
});

/** Its edit by John. */
const editOf = (accepted: Accepted): AskedChange => ({
  metadata: { annotations: { [approvalKeys.changedBy]: `${uid} 2 john` }, generation: 2, uid },
  release: "release-1",
  desired: { owner: { name: "shop", namespace: "team", uid }, ...accepted, serviceMonitors: false },
  wished: { wish: "wish-1", ...(accepted.spec.changePolicy && { policy: accepted.spec.changePolicy }) },
});

const pendingOf = (record: StackRecord, asked: AskedChange): Pending => withPending(record, plan, asked, now).pending;
const pathsOf = ({ shown }: Pending): string[] => shown.changes.map(({ path }) => path);

const asks = { changePolicy: { requireApproval: ["DataLoss"] } };

test("who takes away a policy that no run has applied is its author", () => {
  const accepted = acceptedOf({});
  const record = recordOf(accepted, { agreed: { wish: "wish-1", policy: specOf(asks).changePolicy } });
  const pending = pendingOf(record, editOf(accepted));
  assert.deepEqual([pending.authors, pending.shown.requestedBy], [["john"], ["john"]]);
});

const parameters = (count: number, value: string): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`param_${String(index).padStart(2, "0")}`, value]));

test("parameters of the edit do not hide the rest of it", () => {
  const config = parameters(25, "1");
  const pending = pendingOf(recordOf(acceptedOf({ replicas: 3 })), editOf(acceptedOf({ replicas: 1, config }, config)));
  assert.deepEqual([pathsOf(pending)[0], pathsOf(pending).length], ["spec.replicas", 20]);
});

test("another release is shown before the edit that comes with it, and has no author", () => {
  const accepted = acceptedOf({ storage: "10Gi" });
  const record = recordOf(accepted, { release: "release-0" });
  const pending = pendingOf(record, editOf(acceptedOf({ storage: "50Gi" })));
  assert.deepEqual([pathsOf(pending), pending.authors], [["operator", "spec.storage"], ["john"]]);
  const alone = pendingOf(record, editOf(accepted));
  assert.deepEqual([pathsOf(alone), alone.authors], [["operator"], []]);
});

test("a release has waited since the first one that did, whatever came on top, and an edit alone since it was made", () => {
  const accepted = acceptedOf({});
  const first = withPending(recordOf(accepted, { release: "release-0" }), plan, editOf(accepted), now);
  const later = new Date("2026-12-11T15:00:00Z");
  const asked = (spec: Fields, wish: string, release = "release-2"): AskedChange => ({
    ...{ ...editOf(acceptedOf(spec)), release, wished: { wish } },
  });
  const sinceOf = (record: StackRecord, some: AskedChange): (string | undefined)[] => {
    const { since, approveBefore } = withPending(record, plan, some, later).pending.shown;
    return [since, approveBefore];
  };
  const [since, until] = ["2026-11-27T15:00:00Z", "2027-01-10T15:00:00Z"];
  assert.deepEqual(sinceOf(first, asked({}, "wish-2")), [since, until]);
  assert.deepEqual(sinceOf(first, asked({ replicas: 1 }, "wish-3")), [since, until]);
  const again = "2026-12-11T15:00:00Z";
  assert.equal(sinceOf({ ...first, digest: "of a run" }, asked({}, "wish-2"))[0], again);
  assert.equal(sinceOf(first, asked({ replicas: 1 }, "wish-4", "release-0"))[0], again, "no release waits any more");
  const edited = withPending(recordOf(accepted), plan, editOf(acceptedOf({ replicas: 1 })), now);
  assert.equal(sinceOf(edited, asked({ replicas: 2 }, "wish-5", "release-1"))[0], again);
});
