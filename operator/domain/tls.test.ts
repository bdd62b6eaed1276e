import assert from "node:assert/strict";
import test from "node:test";
import { serverTlsModes, type ServerTls } from "../../contract/tls";
import { isDue, nextMode, type TlsRecord } from "./tls";

test("a Database of which no member has anything begins with what is asked for", () => {
  for (const wanted of serverTlsModes) assert.equal(nextMode(wanted, {}), wanted);
});

const rankOf = (mode: ServerTls | undefined): number => serverTlsModes.findIndex((one) => one === mode);
const each = serverTlsModes.flatMap((from) =>
  serverTlsModes.flatMap((turned) => serverTlsModes.map((to) => [from, turned, to] as const)),
);

for (const [from, turned, to] of each) {
  test(`members that have ${from}, and are told ${turned} and then ${to}, come there by the modes between, none two steps from another`, () => {
    let record: Omit<TlsRecord, "began"> = { declared: from, reached: from };
    for (const [step, wanted] of [turned, to, to, to, to, to].entries()) {
      const declared = nextMode(wanted, record);
      const held = [record.declared, record.reached];
      assert.ok(held.every((mode) => Math.abs(rankOf(declared) - rankOf(mode)) <= 1));
      // asked for something else while the first members are on their way
      record = { declared, reached: step % 2 === 0 ? record.reached : declared };
    }
    assert.deepEqual(record, { declared: to, reached: to });
  });
}

test("the members of a first run have what it declared, whether all are there or not", () => {
  assert.equal(nextMode("Off", { declared: "Require" }), "Prefer");
});

test("what was issued is due at its time, where members have it", () => {
  const certificateFrom = "2026-09-28T23:00:00Z";
  const issued = { due: "2026-11-28T00:00:00Z", certificateFrom, certificateUntil: "", authorityUntil: "" };
  const [before, after] = [new Date("2026-11-27T23:59:59Z"), new Date("2026-11-28T00:00:00Z")];
  const record = { began: "Require", declared: "Require", issued } as const;
  assert.deepEqual([isDue(record, before), isDue(record, after)], [false, true]);
  assert.equal(isDue({ ...record, declared: "Off" }, after), false);
  assert.equal(isDue({ began: "Off" }, after), false);
  assert.equal(isDue(record, new Date("2026-09-28T22:00:00Z")), true, "a clock was wrong when it was issued");
});
