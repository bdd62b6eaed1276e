import assert from "node:assert/strict";
import test from "node:test";
import { mainProcess, type PodProcess } from "./pod-processes";

const process = (pid: number, parent: number, name: string): PodProcess => ({ pid, parent, name, state: "S" });

test("the main process of a server is the one that no process of its name has started", () => {
  const pod = [
    process(12, 11, "postgres"),
    process(10, 1, "patroni"),
    process(11, 10, "postgres"),
    process(5, 4, "pause"),
  ];
  assert.equal(mainProcess(pod, "postgres").pid, 11);
});

test("a pod without the server is reported as such", () => {
  assert.throws(() => mainProcess([process(5, 4, "pause")], "postgres"), /has no process postgres/);
});
