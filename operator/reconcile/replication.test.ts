// Whether the replicas apply what the primary writes, as the status of a Database says it.
import assert from "node:assert/strict";
import test from "node:test";
import { memberOf } from "../../test/fakes/ports";
import { specOf } from "../../test/fakes/specs";
import type { Member } from "../domain/members";
import type { Condition, DatabaseStatus } from "../api/status";
import { eventsFor } from "./events";
import { settled } from "../domain/outcome";
import { statusFor } from "./status";

const spec = specOf();

const status = (members: readonly Member[], wanted = 3): DatabaseStatus =>
  statusFor({
    ...{ name: "shop", namespace: "team", generation: 4, spec, outcome: settled(), record: undefined },
    observation: { workload: { uid: "w", generation: 2, wanted, seen: true, revision: "new" }, members, jobs: [] },
    ...{ serviceMonitors: false, previous: {}, now: new Date("2026-01-01T12:00:00Z") },
  });

const conditionOf = ({ conditions = [] }: DatabaseStatus): Condition | undefined =>
  conditions.find(({ type }) => type === "ReplicationReady");

const primary = memberOf("shop-0", { role: "primary" });
const [first, second] = [memberOf("shop-1"), memberOf("shop-2")];
const idle = memberOf("shop-2", { streaming: false });

for (const [what, members, said, streaming] of [
  ["both replicas stream", [primary, first, second], "True ReplicasStreaming", 2],
  ["one answers and does not stream", [primary, first, idle], "False ReplicaNotStreaming", 1],
  ["one is missing", [primary, first], "False WaitingForMembers", 1],
  ["one is being deleted", [primary, first, memberOf("shop-2", { terminating: true })], "False WaitingForMembers", 1],
  ["one has no role", [primary, first, memberOf("shop-2", { role: undefined })], "False WaitingForMembers", 1],
  ["no member is primary", [first, second], "False WaitingForPrimary", 0],
] as const satisfies readonly (readonly [string, readonly Member[], string, number])[]) {
  test(`${said} when ${what}`, () => {
    const result = status(members);
    const { status: value, reason } = conditionOf(result) ?? {};
    assert.equal(`${value ?? ""} ${reason ?? ""}`, said);
    assert.equal(result.streamingReplicas, streaming);
  });
}

test("a single member is reported as not replicated", () => {
  const result = status([primary], 1);
  assert.deepEqual([conditionOf(result)?.reason, result.streamingReplicas], ["NoReplicas", 0]);
});

test("a replica that does not stream is named, without an event: this happens briefly after every failover", () => {
  const result = status([primary, first, idle]);
  assert.match(conditionOf(result)?.message ?? "", /^shop-2 .*1 of 2 replicas/);
  assert.deepEqual(eventsFor(status([primary, first, second]), result), []);
});

test("it leaves the Database ready: reads and writes continue", () => {
  const readiness = (of: DatabaseStatus): string | undefined =>
    of.conditions?.find(({ type }) => type === "Ready")?.reason;
  assert.equal(readiness(status([primary, first, idle])), readiness(status([primary, first, second])));
});
