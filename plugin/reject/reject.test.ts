import assert from "node:assert/strict";
import test from "node:test";
import { z } from "zod";
import { approvalKeys } from "../../contract/approvals";
import { fakeCluster, type FakeCluster, type Stored } from "../../test/fakes/plugin/cluster";
import { approvedBilling, billing, plan } from "../../test/fakes/plugin/waiting";
import { runPlugin, type Ended } from "../../test/fakes/plugin/world";
import { ApiFailure } from "../command/world";

interface Rejected extends Ended {
  readonly patches: readonly unknown[];
}

async function reject(flags: string, { patched, ...fake }: Partial<FakeCluster> = {}): Promise<Rejected> {
  const patches: unknown[] = [];
  const cluster = fakeCluster({
    objects: [approvedBilling],
    ...fake,
    patched: (body, query) => {
      patches.push(body);
      patched?.(body, query);
    },
  });
  return { ...(await runPlugin(`reject billing ${flags}`, { cluster })), patches };
}

const nothing = Object.fromEntries([approvalKeys.approve, approvalKeys.now, approvalKeys.by].map((key) => [key, null]));
const Status = z.looseObject({ pendingChange: z.looseObject({}) });
const status = Status.parse(billing["status"]);
const waiting = (pendingChange: object | undefined): Stored => ({
  ...billing,
  status: { ...status, pendingChange: pendingChange && { ...status.pendingChange, ...pendingChange } },
});

for (const flags of ["", `--plan=${plan}`, "--plan=7F3C9A"]) {
  test(`the approval goes from the Database that was looked at: reject ${flags}`, async () => {
    const { code, out, patches } = await reject(flags);
    assert.equal(
      out,
      "shop/billing: the approval of plan 7f3c9a51d0e2 is taken back: nothing is carried out by it\nNext  kubectl database-operator status billing -n shop\n",
    );
    assert.deepEqual(patches, [{ metadata: { resourceVersion: "77", annotations: nothing } }]);
    assert.equal(code, 0);
  });
}

const kept: Readonly<Record<string, readonly [object: Stored, code: number, said: RegExp, flags?: string]>> = {
  "nothing waits": [
    { ...approvedBilling, status: { ...status, pendingChange: undefined } },
    1,
    /no change waits, and one that has begun is finished; to take .* rollback billing -n shop\n$/,
  ],
  "nothing approves it": [billing, 0, /nothing approves it: it is not carried out .*; .* rollback billing -n shop\n/],
  "nothing approves a release of the operator": [
    waiting({ changes: [{ path: "operator", before: "1", after: "2" }] }),
    0,
    /nothing approves it: it is not carried out until something does\n/,
  ],
  "it waits for a window alone": [
    waiting({ waitsFor: ["Window"] }),
    1,
    /it needs no approval: it waits for a window, which opens .*; to take .* rollback billing -n shop\n$/,
  ],
  "the approval is of another plan": [
    approvedBilling,
    1,
    /no approval of the plan 51d0e2, but one of 7f3c9a51d0e2/,
    "--plan=51d0e2",
  ],
  "it is being deleted": [
    { ...approvedBilling, metadata: { ...approvedBilling.metadata, deletionTimestamp: "2026-11-27T14:00:00Z" } },
    1,
    /it is being deleted/,
  ],
  "what waits cannot be read": [
    { ...approvedBilling, status: { ...status, pendingChange: { digest: 7 } } },
    1,
    /cannot read what the operator says/,
  ],
};
for (const [what, [object, expected, said, flags = ""]] of Object.entries(kept)) {
  test(`where ${what} nothing is written, and that is said`, async () => {
    const { code, out, err, patches } = await reject(flags, { objects: [object] });
    assert.match(out + err, said);
    assert.deepEqual([code, patches], [expected, []]);
  });
}

test("a Database that changed meanwhile is looked at again, and not for ever", async () => {
  const conflict = new ApiFailure(409, "Conflict", "the object has been modified");
  let conflicts = 2;
  const some = await reject("", {
    patched: () => {
      if (conflicts-- > 0) throw conflict;
    },
  });
  assert.deepEqual([some.code, some.patches.length], [0, 3]);
  const always = await reject("", {
    patched: () => {
      throw conflict;
    },
  });
  assert.match(always.err, /the object has been modified/);
  assert.deepEqual([always.code, always.patches.length], [2, 5]);
});

test("who may not is told which right is missing, and a digest is checked before anything is asked", async () => {
  const denied = await reject("", { withoutVerbs: ["patch"] });
  assert.match(denied.err, /^error: you \(jane\) may not patch databases\.example\.com billing in namespace shop\n/);
  const wrong = await reject("--plan=orders");
  assert.match(wrong.err, /^error: --plan is orders: write a plan's digest, or 6 or more letters/);
  assert.deepEqual([denied.code, wrong.code, wrong.patches], [2, 2, []]);
});
