// A client of a database in a pod of its own: a Python program with the server's image, and the credentials Secret.
import type { Kubectl } from "./kubectl";

export interface ClientPod {
  readonly name: string;
  readonly namespace: string;
  /** The Database whose credentials are used, through its read-write Service. */
  readonly database: string;
  readonly image: string;
  /** The program; libpq finds where to connect in its environment. */
  readonly program: string;
}

/** Starts it and returns when it runs. */
export async function startClient(kubectl: Kubectl, client: ClientPod): Promise<void> {
  const { name, namespace, database, image, program } = client;
  const secret = (key: string): unknown => ({ secretKeyRef: { name: `${database}-credentials`, key } });
  await kubectl.apply({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace },
    spec: {
      restartPolicy: "Never",
      terminationGracePeriodSeconds: 1,
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, runAsUser: 999, seccompProfile: { type: "RuntimeDefault" } },
      containers: [
        {
          name: "client",
          image,
          imagePullPolicy: "IfNotPresent",
          command: ["python3", "-c", program],
          env: [
            { name: "PGHOST", value: database },
            { name: "PGUSER", valueFrom: secret("username") },
            { name: "PGPASSWORD", valueFrom: secret("password") },
            { name: "PGDATABASE", valueFrom: secret("database") },
            { name: "PGCONNECT_TIMEOUT", value: "2" },
          ],
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
        },
      ],
    },
  });
  await kubectl("wait", "pod", name, "-n", namespace, "--for=condition=Ready", "--timeout=60s");
}
