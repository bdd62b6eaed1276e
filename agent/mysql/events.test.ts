import assert from "node:assert/strict";
import test from "node:test";
import { alteringStatements, disableEvents, Events, type EventsArgs, eventsIn, noteBytes } from "./events";
import type { RecordSnapshot } from "./record";

interface Row {
  readonly schema: string;
  readonly name: string;
  status: string;
}

const common = { definer: "app@%", characterSet: "latin1", collation: "latin1_swedish_ci" };

/** A server with these events, and the ConfigMap with what is noted. */
class Bench {
  readonly rows: Row[];
  snapshot: RecordSnapshot;
  readonly statements: string[] = [];
  fails = false;
  now = 0;
  readonly events: Events;
  readonly server: EventsArgs["server"];

  constructor(rows: Row[], noted: readonly string[] | undefined) {
    this.rows = rows;
    this.snapshot = {
      ...{ record: { members: [] }, version: "1", decision: undefined },
      ...(noted !== undefined && { events: noted }),
    };
    const query = (statement: string): Promise<unknown> => {
      if (statement.includes("information_schema.EVENTS")) {
        return Promise.resolve(this.rows.map((row) => ({ ...row, ...common })));
      }
      if (this.fails) return Promise.reject(new Error("broken"));
      this.statements.push(statement);
      const altered = /EVENT `\w+`\.`(\w+)` ENABLE/.exec(statement)?.[1];
      for (const row of this.rows) if (row.name === altered) row.status = "ENABLED";
      return Promise.resolve([]);
    };
    const noteEvents = (seen: RecordSnapshot, names: readonly string[]): Promise<RecordSnapshot> =>
      Promise.resolve({ ...seen, events: names });
    this.server = { query, close: () => undefined };
    this.events = new Events({
      server: this.server,
      records: { noteEvents },
      now: () => this.now,
    });
  }

  async primaryLooks(): Promise<void> {
    this.now += 5_000;
    this.snapshot = (await this.events.asPrimary(this.snapshot)) ?? this.snapshot;
  }

  status(name: string): string | undefined {
    return this.rows.find((row) => row.name === name)?.status;
  }
}

const replicated = (name: string): Row => ({ schema: "app", name, status: "REPLICA_SIDE_DISABLED" });

test("in the data of another Database all that runs is disabled, with its definer and in its character set", async () => {
  const rows = ["ENABLED", "DISABLED", "REPLICA_SIDE_DISABLED"].map((status) => ({
    schema: "app",
    name: status,
    status,
  }));
  const bench = new Bench(rows, undefined);
  await disableEvents(bench.server);
  assert.deepEqual(bench.statements, [
    "SET SESSION character_set_client = 'latin1', SESSION collation_connection = 'latin1_swedish_ci'",
    "ALTER DEFINER = 'app'@'%' EVENT `app`.`ENABLED` DISABLE ON REPLICA",
    "SET NAMES utf8mb4",
  ]);
});

test("a new primary enables the events that ran on the last one, and no other", async () => {
  const bench = new Bench([replicated("purge"), replicated("disabled")], ["`app`.`purge`", "`app`.`dropped`"]);
  await bench.primaryLooks();
  assert.deepEqual([bench.status("purge"), bench.status("disabled")], ["ENABLED", "REPLICA_SIDE_DISABLED"]);
  assert.deepEqual(bench.snapshot.events, ["`app`.`purge`"]);
});

test("without a note, as after an upgrade, no event is enabled, and running ones are noted", async () => {
  const bench = new Bench([replicated("purge"), { schema: "app", name: "runs", status: "ENABLED" }], undefined);
  await bench.primaryLooks();
  assert.deepEqual([bench.status("purge"), bench.snapshot.events], ["REPLICA_SIDE_DISABLED", ["`app`.`runs`"]]);
});

test("an event that a person disables on the primary stays off until the role comes back from another member", async () => {
  const event = replicated("purge");
  const bench = new Bench([event], ["`app`.`purge`"]);
  await bench.primaryLooks();
  event.status = "REPLICA_SIDE_DISABLED";
  await bench.primaryLooks();
  assert.deepEqual([event.status, bench.snapshot.events], ["REPLICA_SIDE_DISABLED", []]);
  bench.events.asReplica();
  bench.snapshot = { ...bench.snapshot, events: ["`app`.`purge`"] };
  await bench.primaryLooks();
  assert.equal(event.status, "ENABLED");
});

test("while an event cannot be enabled the note stays, and the next look tries again", async () => {
  const bench = new Bench([replicated("purge")], ["`app`.`purge`"]);
  bench.fails = true;
  await bench.primaryLooks();
  assert.deepEqual(bench.snapshot.events, ["`app`.`purge`"]);
  bench.fails = false;
  await bench.primaryLooks();
  assert.equal(bench.status("purge"), "ENABLED");
});

test("notes never fill the ConfigMap that failover needs: what is left out is logged until it fits", async () => {
  const names = Array.from({ length: 9_000 }, (_, number) => `${"größe".repeat(5)}_${number}`);
  const runs = names.map((name): Row => ({ schema: "app", name, status: "ENABLED" }));
  const bench = new Bench(runs, undefined);
  await bench.primaryLooks();
  const noted = bench.snapshot.events ?? [];
  assert.ok(Buffer.byteLength(JSON.stringify(noted)) <= noteBytes);
  assert.ok(noted.length > 5_000 && noted.length < names.length, String(noted.length));
  assert.deepEqual(
    noted,
    names.slice(0, noted.length).map((name) => `\`app\`.\`${name}\``),
  );
  const left = names.length - noted.length;
  assert.match(bench.events.problem ?? "", new RegExp(`^${left} of 9000 scheduled events would stop after a failover`));
  const { snapshot } = bench;
  await bench.primaryLooks();
  assert.equal(bench.snapshot, snapshot, "it is written once");
  bench.rows.splice(100);
  await bench.primaryLooks();
  assert.deepEqual([bench.snapshot.events?.length, bench.events.problem], [100, undefined]);
  bench.rows.push(...runs, ...names.map((name): Row => ({ schema: "app", name, status: "ENABLED" })));
  await bench.primaryLooks();
  bench.events.asReplica();
  assert.equal(bench.events.problem, undefined);
});

test("names are quoted, and definer and character set stay as they are", () => {
  const [event] = eventsIn([{ schema: "a.b", name: "x`y", status: "ENABLED", ...common, definer: "it's@me@10.%" }]);
  assert.ok(event !== undefined);
  assert.deepEqual(alteringStatements(event, "ENABLE"), [
    "SET SESSION character_set_client = 'latin1', SESSION collation_connection = 'latin1_swedish_ci'",
    "ALTER DEFINER = 'it\\'s@me'@'10.%' EVENT `a.b`.`x``y` ENABLE",
    "SET NAMES utf8mb4",
  ]);
});
