// A group of MySQL while no operator runs: its primary dies, or all of it does.
import assert from "node:assert/strict";
import test, { before } from "node:test";
import { z } from "zod";
import { builtVersion } from "../../harness/built-versions";
import { readDatabase, untilReady } from "../../harness/database";
import { eventually, minutes } from "../../harness/eventually";
import { deletePods } from "../../harness/pods";
import { MysqlClient } from "../../harness/real-mysql";
import { rotatingStory } from "../story";
import { namespace, ordersOf, place } from "./mysql";
import { members, MysqlGroup } from "./mysql-group";

/** Continues with the Database of the story `mysql`, or creates it. */
export const mysqlWithoutOperator = rotatingStory(
  "mysql-outage",
  6,
  (stage) => {
    let client: MysqlClient;
    let group: MysqlGroup;

    before(async () => {
      const { kubectl } = stage;
      const { version, image } = builtVersion(stage.platform, "mysql");
      await kubectl.apply(ordersOf(version));
      await untilReady(kubectl, place, minutes(4));
      group = new MysqlGroup(kubectl, namespace);
      client = new MysqlClient(kubectl, namespace, "orders");
      await client.start(image);
    });

    const strikes: Record<string, () => Promise<unknown>> = {
      "the primary's server is killed": async () => group.killServer(await group.primary()),
      "the primary's pod is deleted by force": async () =>
        stage.kubectl(
          "delete",
          "pod",
          await group.primary(),
          "-n",
          namespace,
          "--force",
          "--grace-period=0",
          "--wait=false",
        ),
      "all pods are deleted at once": () => deletePods(stage.kubectl, namespace, members),
      "all servers are killed at once": () => Promise.all(members.map((member) => group.killServer(member))),
    };

    test("while no operator runs", async (context) => {
      await stage.operator.whileStopped(async () => {
        for (const [fault, strike] of Object.entries(strikes)) {
          await context.test(`${fault}: the group serves again, whole, and no acknowledged row is lost`, async () => {
            await client.startWriting();
            await client.untilWriting();
            await strike();
            await client.untilWriting();
            await group.untilWhole();
            assert.deepEqual(await client.lost(), []);
          });
        }
      });
      // the status of before says so, too, until the operator has looked
      await eventually(async () => {
        assert.equal((await readDatabase(stage.kubectl, "orders", namespace)).status.primary, await group.primary());
      }, minutes(1));
      await untilReady(stage.kubectl, place, minutes(2));
    });

    test("no password is in a log of a pod or of the operator", async () => {
      const Secret = z.object({ data: z.record(z.string(), z.string()) });
      const secrets = await Promise.all(
        ["orders-credentials", "orders-system"].map(async (name) =>
          Secret.parse(await stage.kubectl.find("secret", name, namespace)),
        ),
      );
      const values = secrets
        .flatMap(({ data }) => Object.entries(data))
        .filter(([key]) => key.includes("password"))
        .map(([, value]) => Buffer.from(value, "base64").toString());
      assert.ok(values.length >= 5);
      const pods = (await stage.kubectl("get", "pods", "-n", namespace, "-o", "name")).trim().split("\n");
      const logs = await Promise.all(
        pods.map((pod) => stage.kubectl("logs", pod, "-n", namespace, "--all-containers", "--tail=-1")),
      );
      const all = [...logs, JSON.stringify(stage.operator.log)].join("\n");
      for (const value of values) assert.ok(!all.includes(value));
    });
  },
  { name: "mysql without operator", namespace },
);
