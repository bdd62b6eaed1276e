// Variables under which every Pulumi command on a Database's stack runs, the operator's and a person's.

export const pulumiEnvironment: Readonly<Record<string, string>> = {
  PULUMI_SKIP_UPDATE_CHECK: "true",
  PULUMI_DIY_BACKEND_NO_LEGACY_WARNING: "true",
  // else every change of a ConfigMap or Secret replaces it
  PULUMI_K8S_ENABLE_CONFIGMAP_MUTABLE: "true",
  PULUMI_K8S_ENABLE_SECRET_MUTABLE: "true",
};
