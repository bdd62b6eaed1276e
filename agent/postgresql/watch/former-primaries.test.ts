import assert from "node:assert/strict";
import test from "node:test";
import { FormerPrimaries } from "./former-primaries";
import type { Pod } from "./ports";

/** Pods with the label of the primary, and who leads. */
class Group {
  labelled: Pod[] = [];
  leader = "db-0";
  isPrimary = true;
  isAway = false;
  lists = 0;
  readonly lines: string[] = [];
  readonly watch = new FormerPrimaries({
    self: "db-0",
    kubernetes: {
      lease: () =>
        this.isAway ? Promise.reject(new Error("away")) : Promise.resolve({ leader: this.leader, renewed: "now" }),
      noteArchive: () => Promise.resolve(),
      labelledPrimary: () => {
        this.lists += 1;
        return Promise.resolve([...this.labelled]);
      },
      depose: (pod) => {
        if (pod.version === "old") return Promise.reject(new Error("409"));
        this.labelled = this.labelled.filter(({ name }) => name !== pod.name);
        return Promise.resolve();
      },
    },
    server: { isPrimary: () => Promise.resolve(this.isPrimary) },
    log: (message) => this.lines.push(message),
  });

  constructor(...labelled: readonly string[]) {
    this.labelled = labelled.map((name) => ({ name, version: "1" }));
  }
}

test("a new primary takes the label off the former one, and looks until one look has shown no other", async () => {
  const group = new Group("db-0", "db-1");
  for (let look = 0; look < 4; look += 1) await group.watch.look();
  assert.deepEqual(group.lines, ["db-1 was still labelled as the primary, and is not any more"]);
  assert.deepEqual(group.labelled, [{ name: "db-0", version: "1" }]);
  assert.equal(group.lists, 2);
});

test("one that only thinks that it leads deposes nobody", async () => {
  const another = new Group("db-1");
  another.leader = "db-1";
  await another.watch.look();
  const away = new Group("db-1");
  away.isAway = true;
  await away.watch.look();
  const replica = new Group("db-1");
  replica.isPrimary = false;
  await replica.watch.look();
  assert.deepEqual([another.lists, away.lists, replica.lists], [0, 0, 0]);
});

test("one that becomes primary again looks again", async () => {
  const group = new Group("db-0");
  await group.watch.look();
  group.isPrimary = false;
  await group.watch.look();
  group.isPrimary = true;
  group.labelled.push({ name: "db-2", version: "1" });
  await group.watch.look();
  assert.match(group.lines.join(), /db-2/);
});

test("a pod that was changed in between is looked at again", async () => {
  const group = new Group();
  group.labelled = [{ name: "db-1", version: "old" }];
  await assert.rejects(group.watch.look());
  group.labelled = [{ name: "db-1", version: "2" }];
  await group.watch.look();
  assert.deepEqual(group.labelled, []);
});
