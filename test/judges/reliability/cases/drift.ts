// What is promised when another client changes or deletes what a Database created.
import { area } from "../case";

export const drift = area("Drift", {
  childDeleted: {
    title: "a child is deleted by hand",
    provoked: "kubectl delete of each child in turn, except volumes",
    expected: "it is created again by one run, and an event says so",
  },
  allDeleted: {
    title: "all children except volumes are deleted at once",
    provoked: "kubectl delete of every kind by label",
    expected: "all of them are created again, with the same passwords, and the Database becomes Ready",
  },
  fieldEdited: {
    title: "a managed field of a child is edited by hand",
    provoked: "a JSON patch of each field that the API server lets change, over all children",
    expected: "it is reverted, and an event names child, field and field manager",
  },
  foreignFields: {
    title: "other clients add labels and annotations to children",
    provoked: "kubectl label and annotate of each child, then an edit that makes the operator apply it again",
    expected: "they stay, and cause no run",
  },
  editedAndReverted: {
    title: "an edit is reverted by its author before it is noticed",
    provoked: "kubectl scale there and back while the operator is stopped",
    expected: "the field is managed again: a later edit of it is reverted too",
  },
  scaled: {
    title: "the StatefulSet is scaled past the Database",
    provoked: "kubectl scale statefulset",
    expected: "it is reverted, no volume is deleted, and the Database can still be changed",
  },
  fight: {
    title: "a controller insists on changing a child, as an autoscaler on the StatefulSet would",
    provoked: "a loop that scales the StatefulSet again as soon as it was reverted",
    expected: "it is reverted less and less often, the status names the client, and edits of the Database still apply",
  },
  conflictLater: {
    title: "a child is deleted and another client's object takes its name",
    provoked: "kubectl delete, and create of a Service without labels, while the operator is stopped",
    expected: "NameConflict, the object unchanged, and the Database recovers once it is gone",
  },
  volumeGrown: {
    title: "a volume claim is grown by hand",
    provoked: "kubectl patch of the claim's size",
    expected: "VolumeGrown says which size to write; once written, it is applied",
  },
  volumeDeleted: {
    title: "the volume of one member is deleted with its pod",
    provoked: "kubectl delete of claim and pod",
    expected: "an empty one takes its place, and the member copies the data",
  },
  volumesDeleted: {
    title: "all data volumes are deleted",
    provoked: "kubectl delete of all claims and pods, with the operator stopped",
    expected: "VolumesLost: no empty database is passed off as the old one",
  },
  paused: {
    title: "a child is edited while the Database is paused",
    provoked: "spec.paused: true, then kubectl scale statefulset",
    expected: "it is left alone until the pause ends, and then reverted",
  },
});
