// SQL as an application sends it: from a pod of its own, through a Service, with the credentials Secret.
import { z } from "zod";
import { pause } from "../host/wait";
import type { Session } from "./session";

/** Where a Database is. */
export interface DatabasePlace {
  readonly namespace: string;
  readonly name: string;
}

/** An engine's program for statements. */
export interface Client {
  /** The command that sends `statement` to the Service and prints the rows that come back. */
  command(service: string, statement: string): readonly string[];
  /** Environment variables of the command, with the keys of the credentials Secret that they hold. */
  readonly credentials: Readonly<Record<string, string>>;
}

export const psql: Client = {
  command: (service, statement) => {
    const place = `host=${service} connect_timeout=5`;
    return ["psql", place, "-XAt", "-v", "ON_ERROR_STOP=1", "-c", statement];
  },
  credentials: { PGUSER: "username", PGPASSWORD: "password", PGDATABASE: "database", PGPORT: "port" },
};

export const mysql: Client = {
  // $(…) is filled in by the kubelet
  command: (service, statement) => [
    ...["mysql", `--host=${service}`, "--port=$(PORT)", "--user=$(USERNAME)", "--database=$(DATABASE)"],
    ...["--connect-timeout=5", "--skip-column-names", "--batch", `--execute=${statement}`],
  ],
  credentials: { USERNAME: "username", MYSQL_PWD: "password", DATABASE: "database", PORT: "port" },
};

export interface Query extends DatabasePlace {
  readonly client: Client;
  /** Service to connect to: `<name>` or `<name>-ro`. */
  readonly service: string;
  readonly statement: string;
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

/** Sends the statement from a pod that ends with it, and returns what the client printed. Throws what it said on an error. */
export async function ask(session: Pick<Session, "kubectl">, query: Query): Promise<string> {
  const { namespace, name } = query;
  const pod = `client-${process.pid}-${Date.now().toString(36)}`;
  await session.kubectl(["apply", "-f", "-"], JSON.stringify(await podOf(session, pod, query)));
  try {
    const ended = "--for=jsonpath={.status.containerStatuses[0].state.terminated}";
    await session.kubectl(["wait", "pod", pod, "-n", namespace, ended, "--timeout=120s"]);
    const output = (await session.kubectl(["logs", pod, "-n", namespace])).trimEnd();
    // the pod's phase lags behind its container
    const { status } = Ended.parse(
      JSON.parse(await session.kubectl(["get", "pod", pod, "-n", namespace, "-o", "json"])),
    );
    if (status.containerStatuses.some(({ state }) => state.terminated.exitCode !== 0)) {
      throw new Error(`${query.service} of ${name}: ${output}`);
    }
    return output;
  } finally {
    await session.kubectl(["delete", "pod", pod, "-n", namespace, "--wait=false"]);
  }
}

/** The same, again and again until it succeeds, for a minute. */
export async function askUntilAnswered(session: Pick<Session, "kubectl">, query: Query): Promise<string> {
  const deadline = performance.now() + 60_000;
  for (;;) {
    try {
      return await ask(session, query);
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await pause(200);
    }
  }
}

async function podOf(
  session: Pick<Session, "kubectl">,
  pod: string,
  { namespace, name, client, service, statement }: Query,
): Promise<unknown> {
  const text = await session.kubectl(["get", "statefulset", name, "-n", namespace, "-o", "json"]);
  const [server] = StatefulSet.parse(JSON.parse(text)).spec.template.spec.containers;
  const variables = Object.entries(client.credentials).map(([variable, key]) => ({
    name: variable,
    valueFrom: { secretKeyRef: { name: `${name}-credentials`, key } },
  }));
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: pod, namespace },
    spec: {
      restartPolicy: "Never",
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, runAsUser: 999, seccompProfile: { type: "RuntimeDefault" } },
      containers: [
        {
          name: "client",
          image: server?.image,
          imagePullPolicy: "IfNotPresent",
          command: client.command(service, statement),
          env: variables,
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
        },
      ],
    },
  };
}
