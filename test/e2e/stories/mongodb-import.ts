// A new MongoDB Database with a database of another server: another Database of the cluster. The servers are FerretDB.
import assert from "node:assert/strict";
import test, { before } from "node:test";
import type { MongoClient } from "mongodb";
import { builtVersion } from "../../harness/built-versions";
import { messageOf, untilCondition, untilReady } from "../../harness/database";
import { minutes } from "../../harness/eventually";
import { initializedFrom, killImport } from "../../harness/imports";
import { valueOf, withClient } from "../../harness/real-mongodb";
import type { Stage } from "../stage";
import { modestDatabase, rotatingStory } from "../story";

const namespace = "mongodb-import";

export const mongodbImport = rotatingStory("mongodb-import", 3, tell);

const stored = 20_000;

function tell(stage: Stage): void {
  let version: string;

  before(async () => {
    ({ version } = builtVersion(stage.platform, "mongodb"));
    await stage.kubectl("label", "namespace", namespace, "pod-security.kubernetes.io/enforce=restricted");
  });

  const apply = (name: string, spec: Record<string, unknown> = {}): Promise<string> =>
    stage.kubectl.apply(
      modestDatabase(name, namespace, { engine: "mongodb", version, replicas: 1, storage: "2Gi", ...spec }),
    );

  const asApplication = async <T>(name: string, work: (client: MongoClient) => Promise<T>): Promise<T> => {
    const uri = await valueOf(stage.kubectl, `${name}-credentials`, namespace, "uri");
    return withClient({ kubectl: stage.kubectl, namespace, uri }, work);
  };

  const server = { host: "old", databases: ["app", "stock"], tls: { mode: "Disable" } };

  test("with a wrong password nothing starts, and the server's word is told", async () => {
    await apply("old");
    await untilReady(stage.kubectl, [namespace, "old"], minutes(4));
    await asApplication("old", async (client) => {
      const items = client.db().collection("items");
      await items.createIndex({ n: 1 }, { unique: true }, {});
      await items.insertMany(Array.from({ length: stored }, (_, n) => ({ n, text: "x".repeat(200) })));
      await client.db("stock").collection("places").insertOne({ place: "here" });
    });
    await stage.kubectl(
      ...["create", "secret", "generic", "of-old", "-n", namespace],
      ...["--from-literal=username=app", "--from-literal=password=wrong"],
    );
    await apply("taken", { initFrom: { ...server, credentials: { name: "of-old" } } });
    const failed = { type: "Stalled", status: "True", reason: "ImportFailed" };
    const view = await untilCondition(stage.kubectl, [namespace, "taken"], failed, minutes(4));
    assert.match(messageOf(view, "Stalled"), /cannot be entered: .*authentication failed/i);
    assert.equal(view.status.replicas, 0);
  });

  test("cut off while it loads it begins again, and then has all documents and indexes", async () => {
    const password = await stage.kubectl(
      ...["get", "secret", "old-credentials", "-n", namespace, "-o", "jsonpath={.data.password}"],
    );
    await stage.kubectl("patch", "secret", "of-old", "-n", namespace, "-p", JSON.stringify({ data: { password } }));
    await stage.kubectl("delete", "job", "taken-import", "-n", namespace);
    await killImport(stage.kubectl, [namespace, "taken"], /"dumped"/);
    await stage.operator.kill();
    await stage.operator.start();
    await untilReady(stage.kubectl, [namespace, "taken"], minutes(5));
    const said = await initializedFrom(stage.kubectl, [namespace, "taken"]);
    assert.deepEqual([said.tables, said.rows, said.consistency], [2, stored + 1, "Torn"]);
    await asApplication("taken", async (client) => {
      const items = client.db().collection("items");
      assert.equal(await items.countDocuments(), stored);
      assert.ok((await items.indexes()).some(({ name }) => name === "n_1"));
      assert.equal(await client.db("stock").collection("places").countDocuments(), 1);
    });
  });

  test("what is written to the new one stays, and the field can be removed", async () => {
    await asApplication("taken", async (client) => {
      await client.db().collection("items").insertOne({ n: -1 });
    });
    await apply("taken", { config: { cursorTimeoutMillis: "300000" } });
    const through = { type: "Reconciling", status: "False", reason: "Reconciled" };
    await untilCondition(stage.kubectl, [namespace, "taken"], through, minutes(4));
    const count = await asApplication("taken", (client) => client.db().collection("items").countDocuments());
    assert.equal(count, stored + 1);
  });
}
