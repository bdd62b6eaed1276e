// The default StorageClass of clusters whose controller manager provisions directories of this machine.
import type { KubernetesApi } from "../api";

/** Creates the StorageClass `standard`, the default one. */
export async function makeHostPathClass(api: KubernetesApi): Promise<void> {
  await api.apply("/apis/storage.k8s.io/v1/storageclasses/standard", {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name: "standard", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
    provisioner: "kubernetes.io/host-path",
    reclaimPolicy: "Delete",
    volumeBindingMode: "WaitForFirstConsumer",
    allowVolumeExpansion: true,
  });
}
