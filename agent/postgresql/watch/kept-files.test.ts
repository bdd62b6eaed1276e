import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import type { KeptFilesNote } from "../../../contract/kept-files";
import { noteExchange, placesOn } from "../upgrade/volume";
import { KeptFiles, keptFilesCluster } from "./kept-files";

async function volumeWith(t: TestContext, ...names: readonly string[]): Promise<string> {
  const volume = await mkdtemp(join(tmpdir(), "kept-files-"));
  t.after(() => rm(volume, { recursive: true }));
  for (const name of names) await mkdir(join(volume, name, "base"), { recursive: true });
  await writeFile(join(volume, "pgdata", "PG_VERSION"), "17\n");
  return volume;
}

interface Stand {
  readonly watch: KeptFiles;
  readonly said: KeptFilesNote[];
  asked: number;
  removes: string | undefined;
}

function standAt(volume: string): Stand {
  const said: KeptFilesNote[] = [];
  const stand: Stand = {
    ...{ said, asked: 0, removes: undefined },
    watch: new KeptFiles({
      places: placesOn(join(volume, "pgdata")),
      server: () => Promise.resolve("17"),
      cluster: {
        removes: () => ((stand.asked += 1), Promise.resolve(stand.removes)),
        note: (note) => (said.push(note), Promise.resolve()),
      },
      log: () => undefined,
    }),
  };
  return stand;
}

test("a member without others says so once, and asks nothing", async (t) => {
  const stand = standAt(await volumeWith(t, "pgdata"));
  await stand.watch.look();
  await stand.watch.look();
  assert.deepEqual([stand.said, stand.asked], [[{ major: "17", kept: [] }], 0]);
});

test("files of others stay until they are asked away for the version that runs, and go with the note of the exchange", async (t) => {
  const volume = await volumeWith(t, "pgdata", "pgdata-15");
  await noteExchange(placesOn(join(volume, "pgdata")), { from: "15", to: "17", former: "1", present: "2" });
  const stand = standAt(volume);
  await stand.watch.look();
  stand.removes = "15";
  await stand.watch.look();
  assert.deepEqual((await readdir(volume)).sort(), [".exchange", "pgdata", "pgdata-15"]);
  stand.removes = "17";
  await stand.watch.look();
  assert.deepEqual(await readdir(volume), ["pgdata"]);
  assert.deepEqual(stand.said, [
    { major: "17", kept: ["15"] },
    { major: "17", kept: [] },
  ]);
});

test("a removal that was killed is said to be under way, and is completed", async (t) => {
  const volume = await volumeWith(t, "pgdata", ".removing-15");
  const stand = standAt(volume);
  await stand.watch.look();
  assert.deepEqual(stand.said, [{ major: "17", kept: ["15"] }]);
  stand.removes = "17";
  await stand.watch.look();
  assert.deepEqual(await readdir(volume), ["pgdata"]);
  assert.deepEqual(stand.said.at(-1), { major: "17", kept: [] });
});

test("it is asked in the member's ConfigMap, and said on its own pod alone", async () => {
  const asked: unknown[] = [];
  const client = {
    get: (path: string) => (
      asked.push(path),
      Promise.resolve({ metadata: { resourceVersion: "1" }, data: { "removes-files-beside": "17" } })
    ),
    patch: (...args: unknown[]) => (asked.push(...args), Promise.resolve({})),
    podUid: () => Promise.resolve("uid-1"),
  };
  const cluster = keptFilesCluster(client, { namespace: "shop", database: "orders", self: "orders-0" });
  assert.equal(await cluster.removes(), "17");
  await cluster.note({ major: "17", kept: [] });
  const annotations = { "database.example.com/kept-files": '{"major":"17","kept":[]}' };
  assert.deepEqual(asked, [
    "/api/v1/namespaces/shop/configmaps/orders-config",
    "/api/v1/namespaces/shop/pods/orders-0",
    { metadata: { annotations, uid: "uid-1" } },
  ]);
});

test("a member that finds no room for its first files has those of others go, but for files of its own version", async (t) => {
  const volume = await volumeWith(t, "pgdata", "pgdata-15", "pgdata-17");
  await rm(join(volume, "pgdata"), { recursive: true });
  const stand = standAt(volume);
  await stand.watch.look();
  stand.removes = "15";
  await stand.watch.look();
  assert.deepEqual((await readdir(volume)).sort(), ["pgdata-15", "pgdata-17"]);
  stand.removes = "17";
  await stand.watch.look();
  assert.deepEqual(await readdir(volume), ["pgdata-17"]);
  assert.deepEqual(stand.said, []);
});
