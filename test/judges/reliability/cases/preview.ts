// What `make preview` and `make state` promise.
import { area } from "../case";

const untouched = "nothing is written: every resourceVersion stays as it was";

export const preview = area("Preview", {
  created: {
    title: "a Database that does not exist yet is previewed",
    provoked: "preview of a file before kubectl apply",
    expected: `every object that will be created is listed, and ${untouched}`,
  },
  unchanged: {
    title: "a Database that the cluster has already is previewed",
    provoked: "preview of the applied file, plain and with --refresh",
    expected: `it says that nothing would change, ends with code 0, and ${untouched}`,
  },
  changed: {
    title: "a change of members, storage, parameters, schedule and version is previewed",
    provoked: "preview of the edited file, then kubectl apply of it",
    expected: `each field that changes is named with both values, the run then does exactly what was announced, and ${untouched}`,
  },
  deleted: {
    title: "a deletion is previewed, under each policy",
    provoked: "preview --delete",
    expected: `what would go and what would stay is listed by the policy in force, and ${untouched}`,
  },
  deleting: {
    title: "a Database that is being deleted already is previewed",
    provoked: "the operator is stopped; kubectl delete; preview of the file",
    expected: "it says so, and shows the deletion",
  },
  refused: {
    title: "a spec that the API server refuses is previewed",
    provoked: "replicas: 0, storage that shrinks, a field of the wrong type",
    expected: `the API server's own words, code 2, and ${untouched}`,
  },
  stalled: {
    title: "a spec that the operator could not apply is previewed",
    provoked: "a version that the catalogue lacks, a missing ConfigMap, a reserved parameter",
    expected: `the reason and what to write, code 2, and ${untouched}`,
  },
  conflict: {
    title: "a Database whose child's name is taken is previewed",
    provoked: "a Service of another client exists before kubectl apply",
    expected: "NameConflict with the name of the object, code 2",
  },
  drifted: {
    title: "a Database is previewed after a child was edited by hand",
    provoked: "the operator is stopped; kubectl patch of a Service; preview of the unchanged file",
    expected: "who changed what is shown, and that it would be restored; code 1",
  },
  paused: {
    title: "a change of a paused Database is previewed",
    provoked: "spec.paused is true in the cluster and in the file",
    expected: "the change is shown, with a note that it waits until paused is false",
  },
  several: {
    title: "a file with several objects is previewed",
    provoked: "two Databases, a ConfigMap and one that is refused in one file",
    expected: "a section for each Database, a line for each that is skipped, and the highest exit code",
  },
  rights: {
    title: "a user who may not read the operator's Secrets runs a preview",
    provoked: "a ServiceAccount that may edit Databases in its namespace only",
    expected: "a sentence that says which right is missing, code 2",
  },
  warned: {
    title: "a user who may write Databases and nothing else sends a change as a dry run",
    provoked: "kubectl apply --dry-run=server of another version and of a parameter, with the operator's webhook",
    expected: `warnings of at most 120 characters name the restarts and the switchover, none what clients do not notice, and ${untouched}`,
  },
  served: {
    title: "a user who may write Databases of one namespace and nothing else asks the operator for a preview",
    provoked: "a DatabasePreview of a new Database, of a change and of a deletion, by kubectl create",
    expected: `the run then does exactly what was announced, each member has its effect, and ${untouched}`,
  },
  withheld: {
    title:
      "a preview is asked for by those who may not write the Database, past the API server, and of what it refuses",
    provoked: "users with other rights; a client at the operator's port that names a user itself; storage that shrinks",
    expected:
      "Forbidden and Unauthorized, with nothing of the Database; the API server's own words where it refuses the change",
  },
  unanswered: {
    title: "no operator answers while previews are served",
    provoked: "the operator is stopped; a preview is asked for; a namespace without Databases is deleted",
    expected:
      "the error says that the API is away; Databases are read and written as before; the namespace goes, at the latest once the APIService is removed",
  },
  secret: {
    title: "passwords and keys are looked for in everything that was printed",
    provoked: "all previews of this page, and make state",
    expected: "none is found, in clear or base64",
  },
  interrupted: {
    title: "a preview is interrupted",
    provoked: "SIGINT while Pulumi runs",
    expected: "no process and no directory is left",
  },
});

export const history = area("History", {
  plainPulumi: {
    title: "the state of a Database is laid out for plain Pulumi",
    provoked: "make state, then pulumi preview, pulumi stack and pulumi stack history in stacks/database",
    expected: "no change is found, the children are listed, and each revision is there with its summary and author",
  },
  kept: {
    title: "a Database was changed several times by different field managers",
    provoked: "kubectl patch under two field managers, then kubectl apply",
    expected: "the state's Secret names for each revision what changed, who asked for it and how long it took",
  },
});
