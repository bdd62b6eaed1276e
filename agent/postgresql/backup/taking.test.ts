import assert from "node:assert/strict";
import test from "node:test";
import { takeWhole, type Storage } from "./taking";

const member = (name: string, isReplica: boolean): Parameters<typeof takeWhole>[1]["source"]["primary"] => ({
  ...{ name, isReplica, position: 1, cluster: "7", version: "17.12" },
});
const wish = {
  source: { primary: member("orders-0", false), replica: undefined },
  place: { database: "orders", namespace: "shop" },
  rhythm: { fullEvery: 7, retention: 7 },
};

/** A place with backups, of which some are damaged, and what was done to it. */
class FakeStorage implements Storage {
  readonly done: string[] = [];
  readonly marked = new Set<string>();
  #taken = 0;

  constructor(
    readonly labels: string[],
    /** Whether what needs it, or is it, is damaged. */
    readonly isDamaged: (label: string) => boolean,
    /** Whether it looks at more than it is asked for. */
    readonly tellsAll = false,
    /** Whether it could not read what it calls damaged. */
    readonly isUnread = false,
  ) {}

  run(command: string, options: readonly string[] = []): Promise<string> {
    const set = options.find((option) => option.startsWith("--set="))?.slice("--set=".length) ?? "";
    switch (command) {
      case "info":
        return Promise.resolve(this.#info());
      case "backup":
        this.#take(options.includes("--type=full"));
        return Promise.resolve("");
      case "verify":
        return Promise.resolve(this.#verified(set));
      case "annotate":
        this.marked.add(set);
        break;
      case "expire":
        if (this.labels.filter((label) => !label.includes("_")).join() === set)
          return Promise.reject(
            new Error(`full backup ${set} cannot be expired until another full backup has been created`),
          );
        this.labels.splice(this.labels.indexOf(set), 1);
        break;
    }
    this.done.push(`${command} ${set}`);
    return Promise.resolve("");
  }

  #take(isFull: boolean): void {
    this.#taken += 1;
    const full = this.labels.findLast((label) => !label.includes("_")) ?? "";
    const label = isFull ? `N${this.#taken}F` : `${full}_N${this.#taken}D`;
    this.labels.push(label);
    this.done.push(`backup ${label}`);
  }

  #verified(set: string): string {
    const told = this.tellsAll ? this.labels : this.labels.filter((label) => set.startsWith(label));
    const lines = told.map((label) => {
      const isBad = this.isDamaged(label);
      const counts = isBad && !this.isUnread ? "missing: 1, other: 0" : `missing: 0, other: ${isBad ? 1 : 0}`;
      return `backup: ${label}, status: ${isBad ? "invalid" : "valid"}\n${counts}`;
    });
    return ["stanza: 7", `status: ${told.some(this.isDamaged) ? "error" : "ok"}`, ...lines].join("\n");
  }

  #info(): string {
    const backup = this.labels.map((label) => ({
      ...{ label, type: label.includes("_") ? "diff" : "full", timestamp: { start: 1, stop: 2 }, info: { size: 1 } },
      ...{ prior: label.includes("_") ? label.split("_")[0] : null },
      annotation: this.marked.has(label) ? { damaged: "2026-01-10T12:00:00Z" } : null,
    }));
    return JSON.stringify([{ status: { code: 0, message: "ok" }, backup }]);
  }
}

test("where the complete backup is damaged that others need, another one is taken at once", async () => {
  const storage = new FakeStorage(["A1F", "A1F_A2D"], (label) => label.startsWith("A1F"));
  const { backup } = await takeWhole(storage, wish);
  assert.equal(backup.label, "N2F");
  assert.deepEqual(storage.done, ["backup A1F_N1D", "expire A1F_N1D", "annotate A1F", "backup N2F"]);
  // also where the difference does not need what is damaged
  const partly = new FakeStorage(["A1F"], (label) => label === "A1F");
  assert.equal((await takeWhole(partly, wish)).backup.label, "N2F");
  // an attempt that died before the last of it
  const died = new FakeStorage(["A1F"], (label) => label.startsWith("A1F"));
  died.marked.add("A1F");
  assert.equal((await takeWhole(died, wish)).backup.label, "N1F");
});

test("one that arrives damaged is removed, and nothing else is called damaged for that", async () => {
  const storage = new FakeStorage(["A1F"], (label) => label.includes("N"));
  await assert.rejects(takeWhole(storage, wish), /is not what was sent, and no restore takes it/);
  assert.deepEqual([[...storage.marked], storage.labels], [[], ["A1F"]]);
});

test("the only complete one, which pgBackRest does not remove, is called damaged, and the next one is complete", async () => {
  const storage = new FakeStorage([], (label) => label === "N1F");
  await assert.rejects(takeWhole(storage, wish), /is not what was sent, and no restore takes it/);
  assert.deepEqual([[...storage.marked], storage.labels], [["N1F"], ["N1F"]]);
  assert.equal((await takeWhole(storage, wish)).backup.label, "N2F");
});

test("one that is whole stays, whatever else is damaged", async () => {
  const storage = new FakeStorage(["A1F", "B1F"], (label) => label === "A1F", true);
  assert.equal((await takeWhole(storage, wish)).backup.label, "B1F_N1D");
});

test("what could not be read back is neither removed nor called damaged, and the attempt fails", async () => {
  for (const isBad of [(label: string) => label.includes("N"), (label: string) => label === "A1F"]) {
    const storage = new FakeStorage(["A1F"], isBad, false, true);
    await assert.rejects(takeWhole(storage, wish), /A1F_N1D could not be verified: status: error; .*other: 1/);
    assert.deepEqual([[...storage.marked], storage.labels], [[], ["A1F", "A1F_N1D"]]);
  }
});
