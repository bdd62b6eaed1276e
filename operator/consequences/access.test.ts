import assert from "node:assert/strict";
import test from "node:test";
import { circumstances, fieldChange, parameter, stepOf } from "../../test/fakes/previewed";
import type { PlannedStep } from "../domain/runner";
import { specOf } from "../../test/fakes/specs";
import { superuserAccess, tls } from "./access";
import type { ServerTls } from "../../contract/tls";
import { factsOf, type Facts } from "./circumstances";
import type { Consequence } from "./consequence";

const told = (before: string, after: string | undefined, ...steps: readonly PlannedStep[]): readonly Consequence[] =>
  superuserAccess(factsOf(steps, circumstances({ asked: [fieldChange("spec.superuserAccess", before, after)] })));

const everyone = "host all all all scram-sha-256";
const connects = (pg_hba: readonly string[]): string => JSON.stringify({ postgresql: { pg_hba } });
/** PostgreSQL's servers read lines of who may connect. */
const lines = (...after: readonly string[]): PlannedStep =>
  stepOf("ConfigMap shop-config", "update", [
    fieldChange("metadata.annotations.config", connects([everyone]), connects(after)),
  ]);

for (const [what, after, steps, effect, message] of [
  ["of PostgreSQL, shut", "Local", [lines("host all postgres all reject", everyone)], "Reload", /^the superuser conn/],
  ["of PostgreSQL, opened", "Network", [lines(everyone, everyone)], "Reload", /^the superuser may connect from every/],
  ["of PostgreSQL, as it was created", undefined, [lines(everyone, everyone)], "Reload", /^servers admit others than/],
  ["of MySQL, whose primary locks an account", "Local", [], "None", /^the superuser connects from inside/],
  ["beside a parameter", "Local", [stepOf("ConfigMap shop-config", "update", [parameter])], "None", /^the superuser/],
] as const) {
  test(`who may connect as the superuser, ${what}: ${effect}`, () => {
    const [one, ...more] = told("Network", after, ...steps);
    assert.deepEqual([one?.effect, more], [effect, []]);
    assert.deepEqual(one?.members, effect === "Reload" ? ["shop-2", "shop-1", "shop-0"] : []);
    assert.match(one.message, message);
  });
}

const modes = (
  before: ServerTls | undefined,
  after: ServerTls | undefined,
  began: ServerTls = "Off",
  ...steps: readonly PlannedStep[]
): Facts => {
  const specs = { before: specOf({ tls: { mode: before } }), after: specOf({ tls: { mode: after } }) };
  return factsOf(steps, circumstances({ specs, began }));
};

for (const [before, after, began, effect, message] of [
  [undefined, "Prefer", "Off", "None", /with TLS and without/],
  ["Off", "Require", "Off", "Reload", /once all members have a certificate/],
  ["Require", "Off", "Off", "Exposure", /in clear/],
  ["Require", "Prefer", "Off", "Exposure", /without TLS are taken/],
  [undefined, "Prefer", "Require", "Exposure", /without TLS are taken/],
  ["Require", "Require", "Off", undefined, undefined],
  ["Require", undefined, "Require", undefined, undefined],
  ["Require", undefined, "Off", "Exposure", /in clear/],
  ["Off", undefined, "Require", "Reload", /once all members have a certificate/],
] as const) {
  test(`TLS that was ${before ?? "as it began"} and is ${after ?? "no more written"}, where it began with ${began}: ${effect ?? "nothing is said"}`, () => {
    const [one, ...more] = tls(modes(before, after, began));
    assert.deepEqual([one?.effect, more], [effect, []]);
    if (message !== undefined) assert.match(one?.message ?? "", message);
  });
}

test("connections without TLS are refused as soon as servers admit others, and that is said once", () => {
  const at = modes("Prefer", "Require", "Off", lines("hostssl all all all scram-sha-256"));
  const [one, ...more] = tls(at);
  assert.deepEqual([one?.effect, more, superuserAccess(at)], ["Reload", [], []]);
  assert.match(one?.message ?? "", /without TLS are refused from now on/);
});

for (const [after, message] of [
  ["Prefer", /without TLS are taken/],
  ["Off", /in clear/],
] as const) {
  test(`beside what it exposes, servers are told to read again whom they admit: ${after}`, () => {
    const at = modes("Require", after, "Require", lines("host all all all scram-sha-256", everyone));
    const said = tls(at);
    assert.deepEqual(
      said.map(({ effect }) => effect),
      ["Exposure", "Reload"],
    );
    assert.match(said[0]?.message ?? "", message);
    assert.deepEqual(superuserAccess(at), []);
  });
}

test("that members refuse connections without TLS waits, as their restarts do, for a node that takes them", () => {
  const noPlace = "no node has 64Gi of memory";
  const [one] = tls({ ...modes("Prefer", "Require"), noPlace });
  assert.deepEqual([one?.effect, one?.waitsFor], ["Reload", noPlace]);
  const admitted = { ...modes("Prefer", "Require", "Off", lines("hostssl all all all scram-sha-256")), noPlace };
  assert.equal(tls(admitted)[0]?.waitsFor, undefined);
});
