// PostgreSQL's members while no operator runs, and what a second run makes of them.
import assert from "node:assert/strict";
import test, { before } from "node:test";
import { z } from "zod";
import { builtVersion } from "../../harness/built-versions";
import { labelledPrimaries, readDatabase, untilReady } from "../../harness/database";
import { eventually, minutes } from "../../harness/eventually";
import { PostgresqlClient } from "../../harness/real-postgresql";
import { modestDatabase, rotatingStory } from "../story";
import { namespace, ordersOf, place } from "./postgresql";

/** Continues with the Database of the story `postgresql`, or creates it. */
export const withoutOperator = rotatingStory(
  "without-operator",
  5,
  (stage) => {
    let client: PostgresqlClient;

    before(async () => {
      const { version, image } = builtVersion(stage.platform, "postgresql");
      client = new PostgresqlClient(stage.kubectl, { namespace, database: "orders", image });
      const notes = { version, replicas: 1, storage: "1Gi", deletionPolicy: "Delete", backup: { enabled: false } };
      await stage.kubectl.apply(modestDatabase("notes", namespace, notes));
      await stage.kubectl.apply(ordersOf(version));
      await untilReady(stage.kubectl, place, minutes(4));
      await untilReady(stage.kubectl, [namespace, "notes"], minutes(2));
    });

    const ask = (statement: string, service?: string): Promise<string> => client.ask(statement, service);

    for (const [name, manner] of [
      ["orders", "plain"],
      ["orders", "refresh"],
      ["notes", "plain"],
    ] as const) {
      const members = name === "orders" ? "three running members" : "a single one";
      test(`a second run of ${members} changes nothing (${manner})`, async () => {
        assert.match(await stage.operator.runAgain([namespace, name], manner), /^\d+ unchanged$/);
      });
    }

    test("the primary dies while no operator runs: another member takes over, and no acknowledged row is lost", async () => {
      await ask("create table survivors (id int primary key)");
      await stage.operator.whileStopped(async () => {
        const former = await labelledPrimaries(stage.kubectl, place);
        const [{ name: primary } = { name: "" }] = former;
        await ask("insert into survivors select generate_series(1, 200)");
        await eventually(async () => {
          assert.equal(await ask("select count(*) from survivors", "orders-ro"), "200");
        }, minutes(1));
        await stage.kubectl("delete", "pod", primary, "-n", namespace, "--force", "--grace-period=0", "--wait=false");
        // until its processes are gone the previous one takes writes that no other member has after it
        await eventually(async () => {
          const [now, ...others] = await labelledPrimaries(stage.kubectl, place);
          assert.ok(now !== undefined && others.length === 0);
          assert.ok(former.every(({ uid }) => uid !== now.uid));
        }, minutes(2));
        // again where the acknowledgement was lost
        await eventually(async () => {
          await ask("insert into survivors values (201) on conflict do nothing");
        }, minutes(2));
        assert.equal(await ask("select count(*) from survivors"), "201");
      });
      // the status of before says that it is ready, too, until the operator has looked
      await eventually(async () => {
        const { status } = await readDatabase(stage.kubectl, "orders", namespace);
        const labelled = await labelledPrimaries(stage.kubectl, place);
        assert.deepEqual(
          [status.primary],
          labelled.map(({ name }) => name),
        );
      }, minutes(1));
      await untilReady(stage.kubectl, place, minutes(3));
    });

    test("no password of any Database is in the operator's log", async () => {
      const Secrets = z.object({ items: z.array(z.object({ data: z.record(z.string(), z.string()) })) });
      const text = await stage.kubectl(
        "get",
        "secret",
        "-A",
        "-l",
        "database.example.com/record=credentials",
        "-o",
        "json",
      );
      const passwords = Secrets.parse(JSON.parse(text)).items.flatMap(({ data }) => Object.values(data));
      assert.ok(passwords.length >= 5);
      const log = JSON.stringify(stage.operator.log);
      for (const encoded of passwords) {
        assert.ok(!log.includes(Buffer.from(encoded, "base64").toString()) && !log.includes(encoded));
      }
    });
  },
  { namespace },
);
