// SQL as an application sends it: from a pod of its own, through a Service, with the credentials Secret.
import { z } from "zod";
import type { Session } from "./session";

export interface Query {
  readonly namespace: string;
  /** The Database whose credentials and image are used. */
  readonly database: string;
  /** Service to connect to: `<name>` or `<name>-ro`. */
  readonly service: string;
  readonly sql: string;
}

const StatefulSet = z.object({
  spec: z.object({
    template: z.object({ spec: z.object({ containers: z.array(z.object({ image: z.string() })).min(1) }) }),
  }),
});
const Ended = z.object({
  status: z.object({
    containerStatuses: z
      .array(z.object({ state: z.object({ terminated: z.object({ exitCode: z.number() }) }) }))
      .length(1),
  }),
});

/** Runs `sql` with psql in a pod that ends with it, and returns what psql printed. Throws what psql said on an error. */
export async function sql(session: Pick<Session, "kubectl">, query: Query): Promise<string> {
  const { namespace, database } = query;
  const pod = `psql-${process.pid}-${Date.now().toString(36)}`;
  await session.kubectl(["apply", "-f", "-"], JSON.stringify(await podOf(session, pod, query)));
  try {
    await session.kubectl([
      "wait",
      "pod",
      pod,
      "-n",
      namespace,
      "--for=jsonpath={.status.containerStatuses[0].state.terminated}",
      "--timeout=120s",
    ]);
    const output = (await session.kubectl(["logs", pod, "-n", namespace])).trimEnd();
    const ended = Ended.parse(JSON.parse(await session.kubectl(["get", "pod", pod, "-n", namespace, "-o", "json"])));
    // the pod's phase lags behind its container
    if (ended.status.containerStatuses.some(({ state }) => state.terminated.exitCode !== 0)) {
      throw new Error(`psql on ${query.service} of ${database}: ${output}`);
    }
    return output;
  } finally {
    await session.kubectl(["delete", "pod", pod, "-n", namespace, "--wait=false"]);
  }
}

async function podOf(
  session: Pick<Session, "kubectl">,
  name: string,
  { namespace, database, service, sql }: Query,
): Promise<unknown> {
  const text = await session.kubectl(["get", "statefulset", database, "-n", namespace, "-o", "json"]);
  const [server] = StatefulSet.parse(JSON.parse(text)).spec.template.spec.containers;
  const secret = (key: string): unknown => ({ secretKeyRef: { name: `${database}-credentials`, key } });
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace },
    spec: {
      restartPolicy: "Never",
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, runAsUser: 999, seccompProfile: { type: "RuntimeDefault" } },
      containers: [
        {
          name: "psql",
          image: server?.image,
          imagePullPolicy: "IfNotPresent",
          command: ["psql", "-XAt", "-v", "ON_ERROR_STOP=1", "-c", sql],
          env: [
            { name: "PGHOST", value: service },
            { name: "PGUSER", valueFrom: secret("username") },
            { name: "PGPASSWORD", valueFrom: secret("password") },
            { name: "PGDATABASE", valueFrom: secret("database") },
            { name: "PGPORT", valueFrom: secret("port") },
            { name: "PGCONNECT_TIMEOUT", value: "10" },
          ],
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
        },
      ],
    },
  };
}
