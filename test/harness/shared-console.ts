// The shared console as a pod would run it: with the variables of the installed Deployment and the token of its account.
import { spawn } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { request, type Agent } from "node:https";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text as textIn } from "node:stream/consumers";
import { TLSSocket } from "node:tls";
import { z } from "zod";
import { freePorts } from "../../tools/host/ports";
import { compiledPrograms } from "./compiled";
import type { Kubectl } from "./kubectl";
import { kubeconfigOf } from "./platform-cluster";

const name = "database-operator-console";
const namespace = "database-operator-system";

const Installed = z.object({
  spec: z.object({
    template: z.object({
      spec: z.object({
        serviceAccountName: z.string(),
        containers: z.tuple([z.object({ env: z.array(z.object({ name: z.string(), value: z.string() })) })]),
      }),
    }),
  }),
});
const Map = z.object({ data: z.record(z.string(), z.string()) });

export interface ServingPair {
  readonly certificate: string;
  readonly key: string;
}

export interface SharedConsoleProcess {
  readonly port: number;
  /** Another certificate, where the Secret would be mounted. */
  readonly mount: (pair: ServingPair) => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Below `directory` there is what the pod has below `/etc/console`. Resolves once it listens. */
export async function startSharedConsole(
  kubectl: Kubectl,
  { directory, pair }: { readonly directory: string; readonly pair: ServingPair },
): Promise<SharedConsoleProcess> {
  const { spec } = Installed.parse(await kubectl.find("deployment", name, namespace)).spec.template;
  const kubeconfig = join(directory, "kubeconfig");
  await writeFile(kubeconfig, await kubeconfigOf(spec.serviceAccountName, kubectl), { mode: 0o600 });
  for (const part of ["certificate", "proxy"]) await mkdir(join(directory, part));
  const { data } = Map.parse(await kubectl.find("configmap", name, namespace));
  for (const [key, value] of Object.entries(data)) await writeFile(join(directory, "proxy", key), value);
  const mount = async ({ certificate, key }: ServingPair): Promise<void> => {
    await writeFile(join(directory, "certificate", "tls.crt"), certificate);
    await writeFile(join(directory, "certificate", "tls.key"), key, { mode: 0o600 });
  };
  await mount(pair);
  const [port] = await freePorts();
  const variables = spec.containers[0].env.map(
    (one) => [one.name, one.value.replace(/^\/etc\/console/, directory)] as const,
  );
  const env = { ...Object.fromEntries(variables), CONSOLE_PORT: String(port), KUBECONFIG: kubeconfig };
  const child = spawn(process.execPath, [(await compiledPrograms()).console], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = new Promise<void>((resolve) =>
    child.once("exit", () => {
      resolve();
    }),
  );
  for await (const line of createInterface({ input: child.stdout })) if (line.includes('"listening"')) break;
  child.stdout.resume();
  if (child.exitCode !== null) throw new Error("the console has ended");
  return {
    port,
    mount,
    stop: () => {
      child.kill("SIGTERM");
      return exited;
    },
  };
}

/** A request as a proxy sends it on. */
export interface Forwarded {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly form?: Readonly<Record<string, string>>;
}

export interface Forwarding {
  readonly status: number;
  readonly text: string;
  /** Of the certificate that the console has shown. */
  readonly serial: string;
  readonly isReused: boolean;
}

/** Over the connections of `agent`, which shows the proxy's certificate. */
export function forwarded(agent: Agent, port: number, { path, headers, form }: Forwarded): Promise<Forwarding> {
  return new Promise((resolve, reject) => {
    const type = form && { "content-type": "application/x-www-form-urlencoded" };
    const options = {
      host: "127.0.0.1",
      port,
      agent,
      path,
      headers: { ...headers, ...type },
      method: form ? "POST" : "GET",
    };
    const sending = request(options, (response) => {
      const { socket } = response;
      const serial = socket instanceof TLSSocket ? socket.getPeerCertificate().serialNumber : "";
      textIn(response).then((text) => {
        resolve({ status: response.statusCode ?? 0, text, serial, isReused: sending.reusedSocket });
      }, reject);
    });
    sending.on("error", reject);
    sending.end(form && new URLSearchParams(form).toString());
  });
}
