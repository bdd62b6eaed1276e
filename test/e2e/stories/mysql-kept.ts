// MySQL whose volumes were kept under Retain, applied again with fewer members than it had.
import assert from "node:assert/strict";
import test, { before } from "node:test";
import { z } from "zod";
import { builtVersion } from "../../harness/built-versions";
import { messageOf, readDatabase, untilReady } from "../../harness/database";
import { eventually, minutes } from "../../harness/eventually";
import { MysqlClient } from "../../harness/real-mysql";
import { rotating } from "../../runner/rotating";
import { modestDatabase, story } from "../story";
import { namespace, ordersOf, place } from "./mysql";
import { MysqlGroup } from "./mysql-group";

const Group = z.object({ data: z.object({ "record.json": z.string() }) });
const Record = z.looseObject({
  members: z.array(z.string()),
  ended: z.object({ transactions: z.string() }).optional(),
});

/** Continues with the Database of the story `mysql`, or creates it. */
export const mysqlKept = story(
  "mysql kept",
  (stage) => {
    rotating(
      "mysql-kept",
      () => {
        let version: string;
        let client: MysqlClient;
        let group: MysqlGroup;

        before(async () => {
          const built = builtVersion(stage.platform, "mysql");
          version = built.version;
          await stage.kubectl.apply(ordersOf(version));
          await untilReady(stage.kubectl, place, minutes(4));
          group = new MysqlGroup(stage.kubectl, namespace);
          client = new MysqlClient(stage.kubectl, namespace, "orders");
          await client.start(built.image);
        });

        const applyWithOne = (): Promise<string> => {
          const spec = { engine: "mysql", version, storage: "2Gi", replicas: 1, backup: { enabled: false } };
          return stage.kubectl.apply(modestDatabase("orders", namespace, spec));
        };

        const remove = (): Promise<string> =>
          stage.kubectl("delete", "database", "orders", "-n", namespace, "--timeout=180s");

        const record = async (): Promise<z.infer<typeof Record>> => {
          const { data } = Group.parse(await stage.kubectl.find("configmap", "orders-group", namespace));
          return Record.parse(JSON.parse(data["record.json"]));
        };

        test("deleted under writes, and applied again with one member: it leads with every acknowledged row, and others join it later", async () => {
          await group.untilWhole();
          // the member that stays is not the one that was written to
          const id = await group.askMember("orders-2", "select @@server_uuid");
          await group.askMember("orders-2", `select group_replication_set_as_primary("${id}", 2)`);
          await eventually(async () => {
            assert.equal(await group.primary(), "orders-2");
          }, minutes(1));
          await client.startWriting();
          await client.untilWriting();
          await remove();
          assert.notEqual((await record()).ended, undefined);
          await applyWithOne();
          await untilReady(stage.kubectl, place, minutes(3));
          await client.untilWriting();
          assert.deepEqual(await client.lost(), []);
          const now = await record();
          assert.deepEqual([now.members, now.ended], [["orders-0"], undefined]);
          await stage.kubectl.apply(ordersOf(version));
          await untilReady(stage.kubectl, place, minutes(4));
          await group.untilWhole();
        });

        test("after an unclean end one member does not lead alone; the condition says what brings the database back, and that works", async () => {
          await client.ask("create table if not exists kept (id int primary key); replace into kept values (1)");
          await remove();
          // as it is where the last member was killed
          const { ended, ...rest } = await record();
          assert.notEqual(ended, undefined);
          const data = { "record.json": JSON.stringify(rest) };
          await stage.kubectl("patch", "configmap", "orders-group", "-n", namespace, "-p", JSON.stringify({ data }));
          await applyWithOne();
          await eventually(async () => {
            const told = messageOf(await readDatabase(stage.kubectl, "orders", namespace), "Ready");
            assert.match(told, /pod orders-0: .*set spec\.replicas to 3 until the Database is ready, then to 1 again$/);
          }, minutes(2));
          await stage.kubectl.apply(ordersOf(version));
          await untilReady(stage.kubectl, place, minutes(4));
          assert.equal(await client.ask("select count(*) from kept"), "1");
          await applyWithOne();
          await untilReady(stage.kubectl, place, minutes(4));
          assert.equal(await client.ask("select count(*) from kept"), "1");
        });
      },
      2,
    );
  },
  namespace,
);
