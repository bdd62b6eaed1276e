// What is promised when another client changes or deletes what a Database created.
import { area } from "../case";

export const drift = area("Drift", {
  childDeleted: {
    title: "a child is deleted by hand",
    provoked: "kubectl delete of each child in turn, but for volumes",
    expected: "it is made again by one run, and an event says so",
  },
  allDeleted: {
    title: "all children but volumes are deleted at once",
    provoked: "kubectl delete of every kind by label",
    expected: "all of them are made again, with the same passwords, and the Database becomes Ready",
  },
  fieldEdited: {
    title: "a managed field of a child is edited by hand",
    provoked: "a JSON patch of each field that the API server lets change, over all children",
    expected: "it is put back, and an event names child, field and field manager",
  },
  foreignFields: {
    title: "labels and annotations of others are added to children",
    provoked: "kubectl label and annotate of each child, then an edit that makes the operator apply it again",
    expected: "they stay, and cause no run",
  },
  editedAndReverted: {
    title: "an edit is taken back by who made it before it is noticed",
    provoked: "kubectl scale there and back while the operator is stopped",
    expected: "the field is managed again: a later edit of it is put back too",
  },
  scaled: {
    title: "the StatefulSet is scaled past the Database",
    provoked: "kubectl scale statefulset",
    expected: "it is put back, no volume goes, and the Database can still be changed",
  },
  fight: {
    title: "a controller insists on changing a child, as an autoscaler on the StatefulSet would",
    provoked: "a loop that scales the StatefulSet again as soon as it was put back",
    expected: "it is put back less and less often, the status says who it is, and edits of the Database go on",
  },
  conflictLater: {
    title: "a child is deleted and another client's object takes its name",
    provoked: "kubectl delete, and create of a Service without labels, while the operator is stopped",
    expected: "NameConflict, the object unchanged, and all is well once it is gone",
  },
  volumeGrown: {
    title: "a volume claim is grown by hand",
    provoked: "kubectl patch of the claim's size",
    expected: "VolumeGrown says which size to write; written, it is carried out",
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
    expected: "it is left alone until the pause ends, and then put back",
  },
});
