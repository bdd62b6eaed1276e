// The operator in the cluster that it manages, deployed by `pulumi up`: what runs there, and that it creates databases.
import assert from "node:assert/strict";
import { stat } from "node:fs/promises";
import test from "node:test";
import { buildImages } from "../../../tools/images/build";
import { builtVersion } from "../../harness/built-versions";
import { untilBackedUp, untilReady } from "../../harness/database";
import { eventually, minutes } from "../../harness/eventually";
import { leadingPod, operatorPods } from "../../harness/operator-pods";
import { PostgresqlClient } from "../../harness/real-postgresql";
import { modestDatabase, story } from "../story";

export const system = "database-operator-system";
export const namespace = "deployed";

/** Of its Database. */
export const place = [namespace, "orders"] as const;

/** Of this story and those that continue with its Database. No backup but the first one falls into a test. */
export const databaseOf = (version: string, name: string, spec: Record<string, unknown> = {}): unknown =>
  modestDatabase(name, namespace, {
    version,
    storage: "1Gi",
    replicas: 1,
    backup: { schedule: "0 0 29 2 *" },
    ...spec,
  });

export const deployedOperator = story(namespace, (stage) => {
  test("pulumi up deploys two operators, of which one leads", async () => {
    await stage.kubectl("rollout", "status", "deployment/database-operator", "-n", system, "--timeout=180s");
    const pods = await operatorPods(stage.kubectl);
    assert.equal(pods.length, 2);
    const leader = await eventually(() => leadingPod(stage.kubectl), minutes(1));
    assert(pods.some(({ uid }) => uid === leader.uid));
  });

  test("the image is small, runs without root and cannot write where its programs are", async () => {
    const [image] = await buildImages({ log: () => undefined, only: ["operator"] });
    const { size } = await stat(image?.archive ?? "");
    assert.ok(size < 900e6, `${size} bytes`);
    const { name } = await leadingPod(stage.kubectl);
    const inside = (...command: string[]): Promise<string> =>
      stage.kubectl("exec", "-n", system, name, "--", ...command);
    assert.equal((await inside("id", "-u")).trim(), "999");
    await assert.rejects(inside("touch", "/opt/database-operator/here"), /Read-only file system|Permission denied/);
    await assert.rejects(inside("touch", "/usr/local/bin/here"), /Read-only file system/);
  });

  test("kubectl apply: the deployed operator makes a database that answers", async () => {
    const { version, image } = builtVersion(stage.platform, "postgresql");
    const client = new PostgresqlClient(stage.kubectl, { namespace, database: "orders", image });
    await stage.kubectl.apply(databaseOf(version, "orders"));
    await untilReady(stage.kubectl, place, minutes(4));
    // the end of the first backup is written to the status, which what follows must find settled
    await untilBackedUp(stage.kubectl, place, minutes(2));
    await client.ask("create table items (id int primary key); insert into items select generate_series(1, 100)");
    assert.equal(await client.ask("select count(*) from items"), "100");
  });
});
