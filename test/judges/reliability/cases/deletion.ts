// What is promised when a Database, or the namespace around it, is deleted.
import { area } from "../case";

export const deletion = area("Deletion", {
  cascades: {
    title: "a Database is deleted under each policy, with each cascade of kubectl",
    provoked: "deletionPolicy Retain, Snapshot, Delete × kubectl delete --cascade=background, foreground, orphan",
    expected:
      "what it created is gone, and exactly what the policy names stays: data, backups and passwords; backups and passwords; nothing",
  },
  policyChanged: {
    title: "the policy is changed just before the deletion",
    provoked:
      "kubectl patch and at once kubectl delete: Retain to Delete, Delete to Retain, Retain to Snapshot with a foreground cascade",
    expected: "the new policy counts, and a last backup comes first even where the cascade has removed the members",
  },
  policyTakenBack: {
    title: "the policy Delete is reverted while the deletion is in progress",
    provoked: "a foreign finalizer holds the StatefulSet; kubectl patch of the policy; then the finalizer is removed",
    expected: "the data stays",
  },
  retainedAgain: {
    title: "a Database is created again at once under the same name, after a deletion under Retain",
    provoked: "kubectl delete and kubectl apply one after the other",
    expected: "it has the same data volumes, by their uids, and the same password",
  },
  deletedAgain: {
    title: "a Database is created again at once under the same name, after a deletion under Delete",
    provoked: "kubectl delete and kubectl apply one after the other",
    expected: "it has new data volumes and another password",
  },
  snapshotRestored: {
    title: "what was written last is looked for after a deletion under Snapshot, on a real node",
    provoked:
      "rows written after the first backup; kubectl delete; the newest backup copied to a new volume, and the Database applied again",
    expected: "the data volume was removed, and the backup, which verifies, has all rows",
  },
  backupHangs: {
    title: "the last backup under Snapshot cannot start",
    provoked: "all nodes are cordoned before kubectl delete",
    expected:
      "nothing is destroyed, the status says what the deletion waits for, and it continues once the backup can run",
  },
  backupFails: {
    title: "the last backup under Snapshot fails",
    provoked: "the status of its Job is made Failed",
    expected: "nothing is destroyed and the message names the ways out; with the Job deleted, another one is taken",
  },
  backupGivenUp: {
    title: "the last backup under Snapshot cannot be taken, and is given up",
    provoked: "the Job is Failed, and the policy is changed to Retain while the Database is being deleted",
    expected: "the Database is deleted, and the data stays",
  },
  nothingToSave: {
    title: "a Database under Snapshot is deleted whose data volumes were never used",
    provoked: "no node takes a pod from the beginning",
    expected: "it is deleted without a backup",
  },
  snapshotWithoutBackups: {
    title: "the policy Snapshot is written where backups are switched off",
    provoked: "kubectl apply and kubectl patch",
    expected: "the API server refuses it and says what to write",
  },
  namespaceDeleted: {
    title: "a namespace is deleted with Databases in it",
    provoked: "kubectl delete namespace with a Database of each policy, one of them in the middle of its first run",
    expected: "it is gone within 60 s, and no record of them is left in the operator's namespace",
  },
  neverReconciled: {
    title: "a Database is deleted that no operator has ever seen",
    provoked: "kubectl apply and kubectl delete while no operator runs",
    expected: "it is deleted at once",
  },
  alwaysStalled: {
    title: "a Database is deleted that was stalled from its beginning",
    provoked: "a version that the catalogue does not have; kubectl delete",
    expected: "it is deleted at once",
  },
  whileRunning: {
    title: "a Database is deleted while Pulumi is at work on it",
    provoked:
      "kubectl delete while the provider is frozen in the middle of the first run (SIGSTOP), and at once after an edit",
    expected: "the run ends, in time or by its deadline, and then everything is deleted",
  },
  destroyRefused: {
    title: "the API server refuses to delete a child",
    provoked: "a ValidatingAdmissionPolicy denies DELETE of Services, and is removed after several attempts",
    expected: "the finalizer stays with reason DestroyFailed and the server's words, and it recovers by itself",
  },
  foreignFinalizer: {
    title: "a finalizer of another controller holds a child",
    provoked: "a Service has a finalizer of another controller",
    expected: "the Database waits, its message names the child and the finalizer, and it is deleted once that is gone",
  },
  volumeDeleted: {
    title: "a Database is deleted after its data volume was deleted, which its member still uses",
    provoked: "kubectl delete pvc, and a state that says that the last run did not end; then kubectl delete",
    expected: "the member goes, then the volume, then the Database",
  },
  invalidSpec: {
    title: "a Database is deleted whose spec no longer parses",
    provoked: "the rules of the custom resource are removed, and an invalid spec is written",
    expected: "it is deleted, and the data stays",
  },
  finalizerRemoved: {
    title: "the operator's finalizer is removed by hand",
    provoked: "kubectl patch of metadata.finalizers, with no operator running, then kubectl delete",
    expected: "Kubernetes removes what is not data by its owner, and data and passwords stay",
  },
});
