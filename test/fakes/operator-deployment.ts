// The arguments of an operator's Deployment, for tests of what is built from them.
import type { OperatorDeployment } from "../../infra/deployment";

export const operatorDeployment: OperatorDeployment = {
  namespace: "a",
  image: "b",
  replicas: 1,
  logLevel: "info",
  nodeAutoscaling: false,
  restartsAtOnce: 3,
  watchNamespaces: [],
  previewApi: false,
  changePolicy: { requireApproval: [], windows: [] },
  releasePolicy: { requireApproval: [], windows: [] },
  approverMayBeAuthor: true,
};
