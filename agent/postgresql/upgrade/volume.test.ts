// What a kill leaves on the volume, and what the next attempt makes of it.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import test, { afterEach, beforeEach } from "node:test";
import { planOfConversion, planOfReturn, type Plan } from "./plan";
import {
  checkpointOf,
  clear,
  exchange,
  identifierOf,
  lookAt,
  noteExchange,
  noteReturn,
  placesOn,
  type Places,
} from "./volume";

const majors = { from: "15", to: "17" };
const identifiers = { 15: 7_111_111_111_111_111_115n, 17: 7_222_222_222_222_222_217n };
let places: Places;

/** Files of a version, as far as they are looked at. */
async function files(directory: string, major: 15 | 17): Promise<void> {
  await mkdir(join(directory, "global"), { recursive: true });
  await writeFile(join(directory, "PG_VERSION"), `${major}\n`);
  const control = Buffer.alloc(512);
  control.writeBigUInt64LE(identifiers[major]);
  await writeFile(join(directory, "global", "pg_control"), control);
}

beforeEach(async () => {
  const volume = await mkdtemp(join(tmpdir(), "upgrade-"));
  places = placesOn(join(volume, "pgdata"));
  await files(places.data, 15);
});
afterEach(() => rm(places.volume, { recursive: true }));

const quiet = (): void => undefined;

/** The end of a conversion, as far as `renames` allow. */
async function converted(renames: 0 | 1 | 2): Promise<void> {
  await files(places.converted, 17);
  const [former, checkpoint] = [await identifierOf(places.data), await checkpointOf(places.data)];
  await noteExchange(places, { ...majors, former, present: await identifierOf(places.converted), checkpoint });
  if (renames > 0) await rename(places.data, `${places.data}-15`);
  if (renames > 1) await rename(places.converted, places.data);
}

/** What the program does with what it finds. */
async function attempt(way: "to" | "back"): Promise<Plan["kind"]> {
  const found = await lookAt(places);
  const plan = way === "to" ? planOfConversion(found, majors) : planOfReturn(found, majors);
  if (way === "back") await noteReturn(places, found, majors.from);
  if (plan.kind === "exchange") await exchange(places, plan, { to: way === "to" ? "17" : "15", log: quiet });
  if (plan.kind !== "convert" && plan.kind !== "refused") await clear(places);
  return plan.kind;
}

const names = async (): Promise<string[]> => (await readdir(places.volume)).sort();

for (const renames of [0, 1, 2] as const) {
  test(`killed after ${renames} of the renames to the target, the others follow`, async () => {
    await converted(renames);
    await attempt("to");
    assert.deepEqual(await names(), [".exchange", "pgdata", "pgdata-15", "upgrading"].slice(0, 3));
    assert.equal(await identifierOf(places.data), String(identifiers[17]));
    assert.equal(await identifierOf(`${places.data}-15`), String(identifiers[15]));
    assert.equal(await attempt("to"), "done");
  });

  test(`killed after ${renames} of the renames to the target, it is taken back all the same, and the note says so`, async () => {
    await converted(renames);
    await attempt("back");
    const { data, kept, exchange: noted } = await lookAt(places);
    assert.deepEqual([data, kept], ["15", renames > 1 ? ["17"] : []]);
    const [former, present] = [String(identifiers[17]), String(identifiers[15])];
    assert.deepEqual(noted, { from: "17", to: "15", former, present });
    assert.equal(await identifierOf(places.data), present);
    assert.equal(await attempt("back"), "done");
  });
}

test("what was converted before members ran with the former files again does not take the place of these", async () => {
  await converted(0);
  const control = Buffer.alloc(512);
  control.writeBigUInt64LE(identifiers[15]);
  control.writeBigUInt64LE(1n, 32);
  await writeFile(join(places.data, "global", "pg_control"), control);
  assert.equal(await attempt("to"), "convert");
  assert.equal(await identifierOf(places.data), String(identifiers[15]));
});

test("killed between the renames on the way back, the last one follows, and the newer files stay", async () => {
  await converted(2);
  const found = await lookAt(places);
  await noteReturn(places, found, "15");
  await rename(places.data, `${places.data}-17`);
  await attempt("back");
  assert.deepEqual(await names(), [".exchange", "pgdata", "pgdata-17"]);
  assert.equal(await identifierOf(`${places.data}-17`), String(identifiers[17]));
  assert.equal((await lookAt(places)).exchange?.to, "15");
});

test("a note is whole or not there", async () => {
  await writeFile(`${places.note}.draft`, "{");
  assert.equal((await lookAt(places)).exchange, undefined);
  await noteExchange(places, { ...majors, former: "1", present: "2" });
  assert.deepEqual(JSON.parse(await readFile(places.note, "utf8")), { ...majors, former: "1", present: "2" });
  assert.equal(dirname(places.note), places.volume);
});
