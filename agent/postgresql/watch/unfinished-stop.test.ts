import assert from "node:assert/strict";
import test from "node:test";
import { answerOr, Seconds } from "../../../test/fakes/postgresql/seconds";
import type { Turning } from "../patroni/answers";
import { UnfinishedStop } from "./unfinished-stop";

/** A member at which a test looks second by second. */
class Member {
  isToldToStop = true;
  turning: Turning | undefined;
  server: "runs" | "stops" | "has ended" = "has ended";
  /** Whether the server does what it is told. */
  listens = true;
  /** What was done, and after how many seconds. */
  readonly done: string[] = [];
  readonly lines: string[] = [];
  readonly #clock = new Seconds();
  readonly #watch = new UnfinishedStop({
    isToldToStop: () => Promise.resolve(this.isToldToStop),
    patroni: { turning: () => answerOr(this.turning) },
    patroniProcess: {
      kill: () => {
        this.done.push(`Patroni is killed after ${this.#clock.passed}`);
        return Promise.resolve(true);
      },
    },
    server: {
      pid: () => Promise.resolve(this.server === "has ended" ? undefined : 7),
      isStopping: () => Promise.resolve(this.server === "stops"),
      stop: () => {
        this.done.push(`the server is told to stop after ${this.#clock.passed}`);
        if (this.listens) this.server = "stops";
        return Promise.resolve();
      },
      end: () => {
        this.done.push(`the server is ended after ${this.#clock.passed}`);
        this.server = "has ended";
        return Promise.resolve();
      },
    },
    log: (message) => this.lines.push(message),
    now: this.#clock.now,
  });

  look(seconds: number): Promise<void> {
    return this.#clock.look(this.#watch, seconds);
  }
}

test("where Patroni has not ended half a minute after its server, it is killed", async () => {
  const member = new Member();
  await member.look(31);
  assert.deepEqual(member.done, []);
  await member.look(1);
  assert.deepEqual(member.done, ["Patroni is killed after 32"]);
  assert.match(member.lines[0] ?? "", /nothing has moved for 31 s: the server has ended, and Patroni is killed/);
});

test("a server that stops may take as long as it needs, and Patroni has its half minute after that", async () => {
  const member = new Member();
  member.server = "stops";
  await member.look(300);
  member.server = "has ended";
  await member.look(30);
  assert.deepEqual(member.done, []);
  await member.look(1);
  assert.deepEqual(member.done, ["Patroni is killed after 331"]);
});

test("a Patroni that hangs before it stops its server, or is frozen, is helped first, and then killed", async () => {
  const member = new Member();
  member.server = "runs";
  await member.look(40);
  assert.deepEqual(member.done, ["the server is told to stop after 32"]);
  member.server = "has ended";
  await member.look(31);
  assert.deepEqual(member.done.slice(1), ["Patroni is killed after 71"]);
});

test("a server that is frozen, too, is ended before Patroni is killed", async () => {
  const member = new Member();
  Object.assign(member, { server: "runs", listens: false });
  await member.look(100);
  assert.deepEqual(member.done, [
    "the server is told to stop after 32",
    "the server is ended after 63",
    "Patroni is killed after 94",
  ]);
});

test("as long as Patroni's loop turns, or no one has told the member to stop, nothing is done", async () => {
  const [turning, living] = [new Member(), new Member()];
  living.isToldToStop = false;
  for (let turn = 0; turn < 20; turn += 1) {
    turning.turning = { dcs_last_seen: turn };
    await Promise.all([turning.look(5), living.look(5)]);
  }
  assert.deepEqual([turning.done, living.done], [[], []]);
});
