// Puts the newest backup of a Database where its first member will look, as docs/databases/restore.md describes it.
import assert from "node:assert/strict";
import { backupsIn } from "./backups";
import type { Kubectl } from "./kubectl";
import { volumePod } from "./volume-pod";

export interface RestoreArgs {
  readonly namespace: string;
  /** Of the Database that is gone, and will be applied again. */
  readonly name: string;
  /** The server's, as in the catalogue. */
  readonly image: string;
  /** Of the data volume. */
  readonly size: string;
}

const script = (label: string): string => `
  echo "restoring /backup/${label}"
  cp -a /backup/${label} /data/copying
  pg_verifybackup /data/copying
  chmod 0700 /data/copying
  mv /data/copying /data/pgdata
`;

/** There as soon as the container has ended, well or not; the kubelet reports the phase of the pod only when it has cleaned up. */
const ended = ".status.containerStatuses[0].state.terminated.reason";

/** Creates the first member's volume and copies the newest backup into it; returns what the copying pod printed. */
export async function restoreNewest(kubectl: Kubectl, args: RestoreArgs): Promise<string> {
  const { namespace, name, size } = args;
  await kubectl.apply({
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: {
      ...{ name: `data-${name}-0`, namespace },
      labels: { app: "database", database: name, "app.kubernetes.io/managed-by": "database-operator" },
    },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: size } } },
  });
  await kubectl.apply(copyingPod(args, await newestLabel(kubectl, args)));
  const pod = `pod/restore-${name}`;
  await kubectl("wait", pod, "-n", namespace, `--for=jsonpath={${ended}}`, "--timeout=180s");
  const log = await kubectl("logs", pod, "-n", namespace);
  assert.equal(await kubectl("get", pod, "-n", namespace, "-o", `jsonpath={${ended}}`), "Completed", log);
  await kubectl("delete", pod, "-n", namespace);
  return log;
}

/** The records of backups outlive the Database. */
async function newestLabel(kubectl: Kubectl, { namespace, name }: RestoreArgs): Promise<string> {
  const own = (await backupsIn(kubectl, namespace)).filter(({ spec }) => spec.database === name);
  const labels = own.flatMap(({ status }) => status.label ?? []);
  const newest = labels.sort().at(-1);
  assert.ok(newest, `no DatabaseBackup of ${name} has a label`);
  return newest;
}

const copyingPod = ({ namespace, name, image }: RestoreArgs, label: string): unknown =>
  volumePod({
    ...{ namespace, name: `restore-${name}`, container: "restore", image },
    command: ["bash", "-euc", script(label)],
    claims: { backup: `${name}-backup`, data: `data-${name}-0` },
  });
