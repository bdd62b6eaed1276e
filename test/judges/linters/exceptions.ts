// What the linters object to and stays as it is, each with the reason. One that no finding needs any more fails the test.
import type { Exception } from "./finding";

const members = /^StatefulSet /;
const jobs = /^(Cron)?Job /;
const operator = /^Deployment database-operator(-console)?$/;

const cpuLimit =
  "memory is limited, and CPU requested; a limit on CPU throttles a server while its node is idle, and so delays its elections: set spec.resources.limits.cpu where you want one";
const userId =
  "the images have one user for all versions, 999, and the files of existing volumes are its; no path of the node is mounted, so the node's own user of that number gains nothing";

export const exceptions: readonly Exception[] = [
  { linter: "kube-score", check: "container-resources", why: cpuLimit },
  { linter: "kubesec", check: "LimitsCPU", why: cpuLimit },
  { linter: "kube-score", check: "container-security-context-user-group-id", why: userId },
  { linter: "kubesec", check: "RunAsUser", why: userId },
  { linter: "kubesec", check: "RunAsGroup", why: userId },
  {
    linter: "kube-score",
    check: "container-image-pull-policy",
    why: "images are named by a tag that says their content, or by a digest: pulling again brings nothing new, and a registry that is down must not keep a member from starting",
  },
  {
    linter: "kube-score",
    check: "container-ephemeral-storage-request-and-limit",
    objects: members,
    why: "with a limit the kubelet evicts a member that logs much, the primary too; data are on volumes, and adding it would restart every member there is",
  },
  {
    linter: "kube-score",
    check: "container-ephemeral-storage-request-and-limit",
    objects: jobs,
    why: "they write to the backup volume and to the database; adding it would run the Jobs of every Database again",
  },
  {
    linter: "kube-score",
    check: "pod-networkpolicy",
    objects: jobs,
    why: "their pods listen on no port: there is nothing to keep anybody from",
  },
  {
    linter: "kube-score",
    check: "pod-networkpolicy",
    objects: members,
    why: "who may connect is said; what members reach is open, as no portable policy can name the API server, on which the election depends",
  },
  {
    linter: "kube-score",
    check: "service-targets-pod",
    objects: /^Service /,
    why: "Services select by the label `role`, which members write on their own pods while they run",
  },
  {
    linter: "kube-score",
    check: "deployment-has-host-podantiaffinity",
    objects: operator,
    why: "topologySpreadConstraints say the same; kube-score does not know them",
  },
  {
    linter: "kubesec",
    check: "AutomountServiceAccountToken",
    objects: /^(StatefulSet|Deployment) /,
    why: "Patroni elects through the Kubernetes API, the operator works with nothing else, and the console acts for people by its own; where no token is needed, as in Jobs, none is mounted",
  },
  {
    linter: "kubesec",
    check: "SeccompAny",
    why: "it looks for an annotation that Kubernetes 1.27 dropped; securityContext.seccompProfile is RuntimeDefault",
  },
  {
    linter: "kubesec",
    check: "ApparmorAny",
    why: "it looks for an annotation of a container named nginx; nodes with AppArmor confine containers by the runtime's own profile",
  },
];
