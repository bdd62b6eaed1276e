// Cases: what a person writes is wrong, or only looks dangerous.
import { area } from "../case";

export const input = area("Bad input", {
  admission: {
    title: "an object has an invalid value in any field",
    provoked:
      "server dry-run of a table over the whole schema: types, null, unknown fields, bounds, enums, quantities, schedules, names, sizes, and metacharacters of shell, YAML, SQL and templates in every string and key",
    expected: "refused with a message that names the field and says what to write; valid values are accepted",
  },
  agreement: {
    title: "the API server and the operator read one rule differently",
    provoked: "random texts made of pieces of valid ones, for every field with a rule; the verdicts are compared",
    expected: "the verdicts are the same, and no rule fails to be evaluated",
  },
  changes: {
    title: "a change that data or volumes do not allow is requested",
    provoked:
      "server dry-run of updates: engine, storage class, less storage, a smaller backup volume, another major version, a lower version",
    expected: "refused with a message that says what to write; possible changes are accepted",
  },
  mistakes: {
    title: "a user makes one of the twenty most common mistakes",
    provoked: "kubectl apply of an example with one mistake each",
    expected: "kubectl prints the field and what to write instead",
  },
  bypassed: {
    title: "a bad spec gets past admission",
    provoked:
      "the schema of the CustomResourceDefinition is removed; one Database goes from good to bad and back, for a part of the table",
    expected:
      "stalled with SpecInvalid and the field, nothing run, created or changed, the operator keeps running; back at the last good spec it is Ready and Reconciled",
  },
  forbidden: {
    title: "a change that data or volumes do not allow gets past admission",
    provoked: "the same, with less storage, another engine, class or version, a smaller backup volume",
    expected: "stalled with a reason and the value to write, nothing run; back at the last good spec it is Ready",
  },
  bornBad: {
    title: "a Database is invalid from the start",
    provoked: "the schema is removed; Databases with bad specs and with bad names are created",
    expected:
      "stalled with SpecInvalid, nothing created; a corrected one becomes Ready, the others can be deleted at once",
  },
  doorClosed: {
    title: "a bad spec is stored when the schema comes back",
    provoked: "the schema is removed, a spec is made invalid, the schema is restored",
    expected: "its status is still written, it can be corrected and deleted",
  },
  odd: {
    title: "a spec is valid but unusual",
    provoked:
      "quantities in unusual spellings, and metacharacters of shell, YAML, SQL and templates in every parameter and label that may have them",
    expected: "it works, every text arrives as it was written, and a second run changes nothing",
  },
  alike: {
    title: "two Databases have names that look alike when they are joined with their namespaces",
    provoked: "a-b/c and a/b-c",
    expected: "each has its own state, passwords and children",
  },
  canaries: {
    title: "metacharacters reach a server and its containers",
    provoked:
      "a Database on a real node whose parameters hold commands and statements that would leave a file or drop a table",
    expected: "SHOW gives every text as it was written, no file was made, the table is there",
  },
  refusedByServer: {
    title: "a parameter has a value that only the server can check, and refuses",
    provoked: "huge_pages is on, which no pod has, on a real node; then the last good spec",
    expected:
      "Ready turns False and Stalled says ConfigRejected, and back at the last good spec it is Ready with all rows",
  },
});
