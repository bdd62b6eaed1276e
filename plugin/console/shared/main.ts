// The process of the shared console: in a pod, with a ServiceAccount that may act in the name of persons and do nothing else.
import { openCluster } from "../../cluster/client";
import { personOf } from "../access/open";
import { listen } from "../serve/listen";
import { Certificates } from "./certificates";
import { sharedApp } from "./app";
import { sharedConfig } from "./config";
import { SharedFormKeys } from "./form-keys";

const help = `Usage: database-operator-console

Serves the console for many, behind a proxy that signs people in. Options are in the environment: CONSOLE_URL and others
(docs/platform/console.md).
`;

async function main(): Promise<void> {
  if (process.argv.includes("--help")) {
    process.stdout.write(help);
    return;
  }
  const { origin, base, port, files, proxy, namespaces } = sharedConfig(process.env);
  const stopping = new AbortController();
  const certificates = new Certificates(files);
  const now = (): Date => new Date();
  const formKeys = new SharedFormKeys(certificates.current.key, now);
  const app = sharedApp({
    ...{ origin, base, proxy, now, stopped: stopping.signal, formKeys: () => formKeys.current },
    open: async ({ user, groups }) =>
      personOf(await openCluster({ kubeconfig: undefined, context: undefined, as: user, groups }), namespaces, user),
    onError: (path, error) => {
      log({ path, error: error instanceof Error ? error.message : String(error) });
    },
  });
  // probes come without a certificate: who asks for more is asked for theirs
  const asking = { requestCert: true, rejectUnauthorized: false, minVersion: "TLSv1.2" } as const;
  const listening = await listen({ port, tls: { ...certificates.current, ...asking } }, () => app);
  void certificates.follow({
    ...{ everyMs: 10_000, signal: stopping.signal },
    renew: (next, ends) => {
      listening.renew(next, ends);
      formKeys.renew(next.key);
      log({ certificates: "renewed" });
    },
    onError: (error) => {
      log({ certificates: "kept", error: error instanceof Error ? error.message : String(error) });
    },
  });
  log({ listening: listening.port });
  process.once("SIGTERM", () => {
    stopping.abort();
    void listening.close();
  });
}

function log(line: Readonly<Record<string, unknown>>): void {
  process.stdout.write(`${JSON.stringify({ time: new Date().toISOString(), ...line })}\n`);
}

void main().catch((error: unknown) => {
  log({ error: error instanceof Error ? error.message : String(error) });
  process.exitCode = 1;
});
