import assert from "node:assert/strict";
import test from "node:test";
import { circumstances, fieldChange, parameter, stepOf } from "../../test/fakes/previewed";
import type { PlannedStep } from "../domain/runner";
import { specOf } from "../../test/fakes/specs";
import { superuserAccess, tls, tlsInSteps } from "./access";
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
  ["Off", "Require", "Off", undefined, undefined],
  ["Require", "Off", "Off", "Exposure", /in clear/],
  ["Require", "Prefer", "Off", "Exposure", /without TLS are taken/],
  [undefined, "Prefer", "Require", "Exposure", /without TLS are taken/],
  ["Require", "Require", "Off", undefined, undefined],
  ["Require", undefined, "Require", undefined, undefined],
  ["Require", undefined, "Off", "Exposure", /in clear/],
  ["Off", undefined, "Require", undefined, undefined],
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

for (const [from, to, next, message] of [
  ["Off", "Require", "Prefer", /^once all members have a certificate, .* are refused, and members restart again$/],
  ["Require", "Off", "Prefer", /^once no member asks .*, TLS ends, and members restart again$/],
  // asked for by an earlier edit
  ["Require", "Require", "Prefer", /restart again/],
  ["Off", "Off", "Prefer", /restart again/],
] as const)
  test(`the second step of TLS is told, by whichever edit the first one comes: ${from}, ${to}`, () => {
    const at = { ...modes(from, to), nextTls: next };
    const [one, ...more] = tlsInSteps(at);
    assert.deepEqual([one?.effect, one?.members, more], ["RollingRestart", ["shop-2", "shop-1", "shop-0"], []]);
    assert.match(one?.message ?? "", message);
    assert.deepEqual(
      tlsInSteps({ ...at, members: 1 }).map(({ effect, members }) => [effect, members]),
      [["Downtime", ["shop-0"]]],
    );
    const noPlace = "no node has 64Gi of memory";
    assert.equal(tlsInSteps({ ...at, noPlace })[0]?.waitsFor, noPlace);
  });

test("where one step leads to the mode that is asked for, no second one is told", () => {
  for (const at of [modes("Prefer", "Require"), { ...modes("Prefer", "Require"), nextTls: "Require" as const }])
    assert.deepEqual(tlsInSteps(at), []);
  // a major upgrade stops all members, and tells so itself
  assert.deepEqual(tlsInSteps({ ...modes("Off", "Require"), nextTls: "Prefer", phase: "Stopping" }), []);
});
