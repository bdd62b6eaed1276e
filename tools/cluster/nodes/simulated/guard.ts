// Keeps kwok from deleting a pod that is not being deleted. A kubelet ends a pod by its UID; kwok deletes by name, and where it does so twice, the
// second request would meet the pod that replaced the first.
import type { NodeCluster } from "../nodes";

/** Who kwok is to the API server. */
export const kwokUser = "kwok";

const name = "kwok-ends-only-what-is-deleted";
const group = "admissionregistration.k8s.io";

const policy = {
  apiVersion: `${group}/v1`,
  kind: "ValidatingAdmissionPolicy",
  metadata: { name },
  spec: {
    failurePolicy: "Fail",
    matchConstraints: {
      resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["DELETE"], resources: ["pods"] }],
    },
    matchConditions: [{ name: "by-kwok", expression: `request.userInfo.username == "${kwokUser}"` }],
    validations: [
      {
        expression: "has(oldObject.metadata.deletionTimestamp)",
        message: "this pod is not being deleted: the request was about a former pod of this name",
      },
    ],
  },
};

const binding = {
  apiVersion: `${group}/v1`,
  kind: "ValidatingAdmissionPolicyBinding",
  metadata: { name },
  spec: { policyName: name, validationActions: ["Deny"] },
};

/** Installs the rule. */
export async function guardDeletions({ api }: Pick<NodeCluster, "api">): Promise<void> {
  await api.apply(`/apis/${group}/v1/validatingadmissionpolicies/${name}`, policy);
  await api.apply(`/apis/${group}/v1/validatingadmissionpolicybindings/${name}`, binding);
}
