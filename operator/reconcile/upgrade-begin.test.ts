import assert from "node:assert/strict";
import test from "node:test";
import { fakeEngines } from "../../test/fakes/engines";
import type { Catalogue } from "../api/catalogue";
import { DatabaseSpec, type DatabaseSpecInput } from "../api/spec";
import type { StackRecord } from "../domain/records";
import { beginningOf, majorStepProblem } from "./upgrade-begin";
import { declaredOf } from "./judge";

const upgrade = { image: "upgrade:17", from: "15.20" };
const catalogue: Catalogue = {
  postgresql: {
    "15.20": { image: "server:15" },
    "17.11": { image: "server:17.11" },
    "17.12": { image: "server:17", upgrade },
  },
  mysql: { "9.7": { image: "mysql:9.7" } },
};

const specOf = (some: Partial<DatabaseSpecInput> = {}): DatabaseSpec =>
  DatabaseSpec.parse({ engine: "postgresql", version: "17.12", ...some });

const begins = (
  some: Partial<DatabaseSpecInput>,
  record: Partial<Pick<StackRecord, "declared" | "accepted" | "upgrade">> | undefined,
  known = catalogue,
): ReturnType<typeof beginningOf> => {
  const spec = specOf(some);
  const owner = { name: "shop", namespace: "team", uid: "uid-1" };
  const desired = { owner, spec, image: "server:17", config: spec.config ?? {}, serviceMonitors: false };
  const whole = record && { declared: undefined, accepted: undefined, ...record };
  return beginningOf({ desired, record: whole }, { world: { catalogue: known }, engines: fakeEngines });
};

const ran = (version: string): Pick<StackRecord, "declared"> => ({ declared: declaredOf(specOf({ version })) });

test("another major version of a Database that runs begins an upgrade, with all images that it may need", () => {
  const beginning = begins({}, ran("15.20"));
  assert.ok(beginning.kind === "begins");
  const { from, to, images, phase, uid } = beginning.upgrade;
  assert.deepEqual([uid, from, to, phase], ["uid-1", "15.20", "17.12", "Rehearsing"]);
  assert.deepEqual(images, { from: "server:15", to: "server:17", job: "upgrade:17" });
});

test("nothing begins for a new Database, within a major version, for another engine, or while there is an upgrade", () => {
  assert.equal(begins({}, undefined).kind, "none");
  assert.equal(begins({}, {}).kind, "none");
  assert.equal(begins({}, ran("17.11")).kind, "none");
  const mysql = { declared: declaredOf(DatabaseSpec.parse({ engine: "mysql", version: "9.7" })) };
  assert.equal(begins({}, mysql).kind, "none");
  const first = begins({}, ran("15.20"));
  assert.ok(first.kind === "begins");
  assert.equal(begins({}, { ...ran("15.20"), upgrade: first.upgrade }).kind, "none");
});

const refused: readonly (readonly [what: string, some: Partial<DatabaseSpecInput>, from: string, says: RegExp])[] = [
  ["down", { version: "15.20" }, "17.12", /cannot go down from 17\.12/],
  ["no image leads there", { version: "17.11" }, "15.20", /no image.*15\.20 over to 17\.11; it has one for 17\.12$/],
  ["no image leads from there", {}, "14.1", /no image.*it has one for no version; write 14\.1/],
  ["a newer minor than the image has", {}, "15.21", /15\.20 over to 17\.12 is older than 15\.21/],
  ["no backups", { backup: { enabled: false } }, "15.20", /rehearsed with a backup on a volume/],
  [
    "backups elsewhere",
    {
      backup: {
        destination: { s3: { bucket: "backups", endpoint: "https://s3.example.com", credentials: { name: "s3" } } },
      },
    },
    "15.20",
    /rehearsed with a backup on a volume/,
  ],
  [
    "a parameter that the former version does not take",
    { config: { port: "1" } },
    "15.20",
    /members run 15\.20: port is/,
  ],
];

for (const [what, some, from, says] of refused) {
  test(`no upgrade begins: ${what}`, () => {
    const beginning = begins(some, ran(from));
    assert.ok(beginning.kind === "refused" && beginning.outcome.kind === "stalled", JSON.stringify(beginning));
    assert.match(beginning.outcome.message, says);
  });
}

test("an older minor than the image has is carried over, and numbers are compared as such", () => {
  assert.equal(majorStepProblem("15.9", specOf(), catalogue), undefined);
  assert.match(
    majorStepProblem("9.7", specOf({ engine: "mysql", version: "10.1" }), catalogue) ?? "",
    /not supported yet/,
  );
});

test("the former version may have left the catalogue, where its image is still known", () => {
  const known: Catalogue = { postgresql: { "17.12": { image: "server:17", upgrade } } };
  const accepted = { spec: specOf({ version: "15.20" }), image: "server:15-kept", config: {} };
  const beginning = begins({}, { ...ran("15.20"), accepted }, known);
  assert.ok(beginning.kind === "begins" && beginning.upgrade.images.from === "server:15-kept");
  assert.equal(begins({}, ran("15.20"), known).kind, "refused");
});
