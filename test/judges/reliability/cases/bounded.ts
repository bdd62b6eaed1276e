// Cases: nothing grows, and one Database that hangs costs the others nothing.
import { area } from "../case";

export const bounded = area("Bounded resources", {
  changes: {
    title: "one Database is changed over and over",
    provoked: "kubectl apply of another parameter, 500 times",
    slice: "30 times",
    expected:
      "memory, open files, temporary files, history, state and log per change stay as they were after the first third",
  },
  hang: {
    title: "the run of one Database hangs",
    provoked:
      "a proxy holds a write of its provider, with a deadline of 20 s for runs: in the resident Pulumi, and over the CLI, with SIGSTOP of the provider besides",
    expected:
      "another Database is created meanwhile; the run is ended and tried again, and nothing of it remains, neither process nor directory",
  },
});
