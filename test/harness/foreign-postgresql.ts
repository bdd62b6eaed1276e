// A PostgreSQL that is no Database: a pod with a server as a person would run one, which is entered over TLS alone, with a certificate of its own authority.
import { eventually, minutes } from "./eventually";
import type { Kubectl } from "./kubectl";

export interface Foreign {
  readonly namespace: string;
  /** Of pod and Service, and what its certificate says. */
  readonly name: string;
  /** With the server's programs in it. */
  readonly image: string;
}

/** The database there, and who may enter it. */
export const shop = { database: "shop", username: "reader", password: "of-the-reader" } as const;

const serving = `
set -eu
cd /tmp
for ca in ca other; do
  openssl req -x509 -newkey rsa:2048 -nodes -keyout $ca.key -out $ca.crt -subj /CN=$ca -days 2 2>/dev/null
done
openssl req -newkey rsa:2048 -nodes -keyout own.key -out own.csr -subj /CN=$NAME 2>/dev/null
openssl x509 -req -in own.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 2 -extfile <(echo "subjectAltName=DNS:$NAME") -out own.crt 2>/dev/null
chmod 600 *.key
initdb -D source --encoding=UTF8 --locale=C.UTF-8 -U postgres -A trust >/dev/null
echo 'local all all trust' >source/pg_hba.conf
echo 'hostssl all all all scram-sha-256' >>source/pg_hba.conf
options="-k /tmp -c listen_addresses=0.0.0.0 -c shared_buffers=32MB -c huge_pages=off"
options="$options -c ssl=on -c ssl_cert_file=/tmp/own.crt -c ssl_key_file=/tmp/own.key"
pg_ctl -D source -w -l log -o "$options" start >/dev/null || { cat log; exit 1; }
psql -qXh /tmp -U postgres -v ON_ERROR_STOP=1 <<SQL
CREATE ROLE ${shop.username} LOGIN PASSWORD '${shop.password}';
CREATE DATABASE ${shop.database} OWNER ${shop.username};
SQL
touch ready
exec sleep infinity
`;

/** Starts it, and waits until it serves. */
export async function startForeign(kubectl: Kubectl, { namespace, name, image }: Foreign): Promise<void> {
  const labels = { app: name };
  await kubectl.apply({
    ...{ apiVersion: "v1", kind: "Service", metadata: { name, namespace } },
    spec: { selector: labels, ports: [{ name: "postgresql", port: 5432 }] },
  });
  await kubectl.apply({
    ...{ apiVersion: "v1", kind: "Pod", metadata: { name, namespace, labels } },
    spec: {
      ...{ restartPolicy: "Never", terminationGracePeriodSeconds: 1, automountServiceAccountToken: false },
      securityContext: { runAsNonRoot: true, runAsUser: 999, seccompProfile: { type: "RuntimeDefault" } },
      containers: [
        {
          ...{ name: "server", image, imagePullPolicy: "IfNotPresent", command: ["bash", "-c", serving] },
          env: [{ name: "NAME", value: name }],
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
        },
      ],
    },
  });
  await eventually(() => kubectl("exec", "-n", namespace, name, "--", "test", "-f", "/tmp/ready"), minutes(2));
}

/** Sends it SQL as the one who may enter it, and returns the rows. */
export const askForeign = async (kubectl: Kubectl, { namespace, name }: Foreign, sql: string): Promise<string> => {
  const psql = ["psql", "-XAt", "-v", "ON_ERROR_STOP=1", "-h", "/tmp", "-U", shop.username, "-d", shop.database];
  return (await kubectl("exec", "-n", namespace, name, "--", ...psql, "-c", sql)).trim();
};

/** The certificate of its authority, or of one that has nothing to do with it; PEM. */
export const authorityOf = (kubectl: Kubectl, { namespace, name }: Foreign, which: "ca" | "other"): Promise<string> =>
  kubectl("exec", "-n", namespace, name, "--", "cat", `/tmp/${which}.crt`);
