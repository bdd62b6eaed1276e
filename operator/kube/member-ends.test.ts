import assert from "node:assert/strict";
import test from "node:test";
import { endsOf } from "./member-ends";

const container = (restartCount: number, terminated?: object): object => ({
  ...{ name: "postgresql", restartCount },
  ...(terminated && { lastState: { terminated } }),
});
const pod = (containers: readonly object[], conditions: readonly object[] = []): unknown => ({
  status: { containerStatuses: containers, conditions },
});

const cases: Readonly<Record<string, readonly [pod: unknown, told: object]>> = {
  "nothing of one that never ended": [pod([container(0)]), {}],
  "nothing of what is no pod": [7, {}],
  "that it ran out of memory": [
    pod([container(1, { reason: "OOMKilled", exitCode: 137 })]),
    { ends: 1, ending: "container postgresql ended (OOMKilled, exit code 137)" },
  ],
  "its server's last words": [
    pod([container(2, { reason: "Error", exitCode: 1, message: "first\nno space left\n" }), container(1)]),
    { ends: 3, ending: "container postgresql ended (Error, exit code 1): no space left" },
  ],
  "an exit code without a reason": [
    pod([container(1, { exitCode: 3 })]),
    { ends: 1, ending: "container postgresql ended (exit code 3)" },
  ],
  "why Kubernetes takes it away": [
    pod(
      [container(0)],
      [{ type: "DisruptionTarget", status: "True", reason: "PreemptionByScheduler", message: "by another pod" }],
    ),
    { disruption: "PreemptionByScheduler: by another pod" },
  ],
  "nothing of a disruption that did not come": [
    pod([container(0)], [{ type: "DisruptionTarget", status: "False", reason: "X", message: "" }]),
    {},
  ],
};
for (const [what, [given, told]] of Object.entries(cases)) {
  test(`of a member's pod it is told: ${what}`, () => {
    assert.deepEqual(endsOf(given), told);
  });
}
