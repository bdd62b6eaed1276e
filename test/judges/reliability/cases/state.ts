// Cases: what the operator remembers of a stack is lost, spoilt or old, or another client writes it, too.
import { area } from "../case";

const adopted =
  "rebuilt by adoption: no pod restarted, same passwords and claims, other Databases untouched; changes made meanwhile are applied";
const provoked = (what: string): string =>
  `kubectl ${what} of the Secret \`state.<namespace>.<name>\` while the operator runs: converged, together with a change, and together with the deletion`;

export const state = area("State", {
  deleted: { title: "the Secret with the state is deleted", provoked: provoked("delete"), expected: adopted },
  truncated: { title: "the state is cut off in the middle", provoked: provoked("patch"), expected: adopted },
  flipped: { title: "one bit of the stored state flips", provoked: provoked("patch"), expected: adopted },
  garbled: {
    title: "encrypted values in the state are garbled, and nothing else",
    provoked: "kubectl patch of the Secret `state.<namespace>.<name>` together with a change, and with the deletion",
    expected: adopted,
  },
  swapped: {
    title: "the state is replaced by that of another Database",
    provoked: provoked("patch with the other's data"),
    expected: adopted,
  },
  older: {
    title: "the state is replaced by an older revision of itself",
    provoked: provoked("patch with earlier data and annotations"),
    expected:
      "noticed and brought up to date: nothing is reverted, nothing is created twice, no pod restarted, same passwords",
  },
  keyLost: {
    title: "the key of all states is lost",
    provoked:
      "kubectl delete of the Secret `database-operator-state-key` while the operator runs; the operator is restarted; a change",
    expected: adopted,
  },
  credentialsLost: {
    title: "the passwords of record are lost",
    provoked: "kubectl delete of the Secret `credentials.<namespace>.<name>` while the operator runs; a change",
    expected: "adopted again from the Secrets beside the Database: same passwords, no pod restarted",
  },
  twoOperators: {
    title: "two operators work at the same time",
    provoked:
      "a second operator process beside the first, while a Database is created, changed, scaled down and deleted",
    expected:
      "the same result as with one: same objects, one set of passwords, one state, nothing left after the deletion",
  },
  orphanHere: {
    title: "Pulumi outlives its operator, on the same machine as the successor",
    provoked:
      "over the CLI, SIGSTOP of Pulumi and its provider at the first write, SIGKILL of the operator alone, a successor with the same directory",
    expected: "the successor ends what was left before it begins, and applies the change",
  },
  orphanElsewhere: {
    title: "Pulumi outlives its operator, where the successor cannot see it",
    provoked:
      "over the CLI, SIGSTOP of Pulumi and its provider at the first write, SIGKILL of the operator alone, a successor with another directory applies a later change; SIGCONT, and what is left of the run continues",
    expected: "the last change wins in the end, nothing is left or created twice, the state is the successor's",
  },
});
