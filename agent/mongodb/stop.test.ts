import assert from "node:assert/strict";
import test from "node:test";
import { leaveInOrder } from "./stop";
import type { Command, Servers } from "./ports";

/** A server that leads, and is a part of its set, until as many further steps were taken. */
function leadingFor(steps: number): { readonly servers: Servers; readonly step: () => Promise<void>; asked: string[] } {
  let left = steps;
  const asked: string[] = [];
  const refuse = (): Promise<never> =>
    Promise.reject(Object.assign(new Error("no member has caught up"), { code: 262 }));
  const servers: Servers = {
    asNobody: () =>
      Promise.resolve(left > 0 ? { setName: "orders", me: "orders-1:27017", isWritablePrimary: true } : {}),
    asAdministrator: (command: Command) => {
      asked.push(...Object.keys(command).slice(0, 1));
      return refuse();
    },
    peer: refuse,
  };
  const step = (): Promise<void> => {
    left -= 1;
    asked.push("step");
    return left === 1 ? Promise.reject(new Error("refused")) : Promise.resolve();
  };
  return { servers, step, asked };
}

test("a primary that leaves for good and cannot hand over at once keeps running until its set has removed it", async () => {
  const { servers, step, asked } = leadingFor(3);
  await leaveInOrder({ servers, leads: true, alone: false, stays: false, step });
  assert.deepEqual(asked, ["replSetStepDown", "step", "step", "step"]);
});

test("a primary that comes back hands over once", async () => {
  const { servers, step, asked } = leadingFor(3);
  await leaveInOrder({ servers, leads: true, alone: false, stays: true, step });
  assert.deepEqual(asked, ["replSetStepDown"]);
});
