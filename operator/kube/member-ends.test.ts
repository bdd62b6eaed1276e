import assert from "node:assert/strict";
import test from "node:test";
import { serverEndAnnotation, serverEndText } from "../../contract/server-end";
import { endsOf } from "./member-ends";

const container = (restartCount: number, terminated?: object): object => ({
  ...{ name: "postgresql", restartCount },
  ...(terminated && { lastState: { terminated } }),
});
const pod = (containers: readonly object[], conditions: readonly object[] = [], note?: string): unknown => ({
  metadata: { annotations: note === undefined ? {} : { [serverEndAnnotation]: note } },
  status: { containerStatuses: containers, conditions },
});
const serverEnd = '{"count":2,"at":"2026-11-27T14:00:00.000Z"}';

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
  "that its server was killed, and its container lives": [
    pod([container(0)], [], serverEnd),
    { ends: 2, ending: serverEndText },
  ],
  "what came last, of containers and of the server alone": [
    pod([container(1, { reason: "OOMKilled", exitCode: 137, finishedAt: "2026-11-27T14:00:01Z" })], [], serverEnd),
    { ends: 3, ending: "container postgresql ended (OOMKilled, exit code 137)" },
  ],
  "that its server was killed, after a container had ended": [
    pod([container(1, { reason: "OOMKilled", exitCode: 137, finishedAt: "2026-11-27T13:59:59Z" })], [], serverEnd),
    { ends: 3, ending: serverEndText },
  ],
  "nothing of a note that is none": [pod([container(0)], [], '{"count":"many"}'), {}],
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
