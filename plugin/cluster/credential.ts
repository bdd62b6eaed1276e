// Signing in by a program that the kubeconfig names, as kubectl runs it (https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins):
// it may ask the person at the terminal, and is told of the cluster. The client library keeps it from both.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { text as textIn } from "node:stream/consumers";
import { z } from "zod";
import { Trouble } from "../command/trouble";
import type { Fields } from "./kubeconfig";

const Exec = z.object({
  ...{ apiVersion: z.string(), command: z.string().min(1), args: z.array(z.string()).nullish() },
  env: z.array(z.object({ name: z.string(), value: z.string() })).nullish(),
  interactiveMode: z.string().nullish(),
  provideClusterInfo: z.boolean().nullish(),
  installHint: z.string().nullish(),
});
type Exec = z.infer<typeof Exec>;

const Credential = z.object({
  status: z.object({
    token: z.string().optional(),
    clientCertificateData: z.string().optional(),
    clientKeyData: z.string().optional(),
  }),
});

/** What it gave, as fields of a user of the kubeconfig. `cluster`: of the kubeconfig. */
export async function credentialBy(exec: unknown, cluster: Fields): Promise<Fields> {
  const known = Exec.safeParse(exec);
  if (!known.success) throw new Trouble("the kubeconfig names a program to sign in, and not how it is run");
  const {
    token,
    clientCertificateData: cert,
    clientKeyData: key,
  } = statusIn(await printedBy(known.data, cluster), known.data);
  return {
    ...(token !== undefined && { token }),
    ...(cert !== undefined && { "client-certificate-data": base64(cert) }),
    ...(key !== undefined && { "client-key-data": base64(key) }),
  };
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");

function statusIn(text: string, exec: Exec): z.infer<typeof Credential>["status"] {
  try {
    return Credential.parse(JSON.parse(text)).status;
  } catch {
    throw failed(exec, "printed no ExecCredential");
  }
}

const failed = ({ command, installHint }: Exec, what: string): Trouble =>
  new Trouble(`cannot sign in as the kubeconfig says: ${command} ${what}`, [
    ...(installHint ? installHint.trim().split("\n") : []),
    "kubectl auth whoami",
  ]);

async function printedBy(exec: Exec, cluster: Fields): Promise<string> {
  const interactive = isInteractive(exec);
  const { apiVersion, command, args, env, provideClusterInfo } = exec;
  const spec = { interactive, ...(provideClusterInfo === true && { cluster: clusterIn(cluster) }) };
  const child = spawn(command, args ?? [], {
    stdio: [interactive ? "inherit" : "ignore", "pipe", "inherit"],
    env: {
      ...process.env,
      ...Object.fromEntries((env ?? []).map(({ name, value }) => [name, value])),
      KUBERNETES_EXEC_INFO: JSON.stringify({ apiVersion, kind: "ExecCredential", spec }),
    },
  });
  const ended = new Promise<string>((resolve) => {
    child.on("error", ({ message }) => {
      resolve(`cannot be run: ${message}`);
    });
    child.on("close", (code, signal) => {
      resolve(code === 0 ? "" : `ended with ${code === null ? (signal ?? "a signal") : `exit code ${code}`}`);
    });
  });
  const [text, problem] = await Promise.all([textIn(child.stdout), ended]);
  if (problem !== "") throw failed(exec, problem);
  return text;
}

function isInteractive(exec: Exec): boolean {
  const { interactiveMode: mode } = exec;
  if (mode === "Always" && !process.stdin.isTTY) throw failed(exec, "asks at a terminal, and there is none");
  return mode !== "Never" && process.stdin.isTTY;
}

const Extensions = z.array(z.object({ name: z.string(), extension: z.unknown() }));

/** A cluster of the kubeconfig as the program is told of it. */
function clusterIn(cluster: Fields): unknown {
  const extensions = Extensions.safeParse(cluster["extensions"]).data ?? [];
  return {
    server: cluster["server"],
    "tls-server-name": cluster["tls-server-name"],
    "insecure-skip-tls-verify": cluster["insecure-skip-tls-verify"],
    "certificate-authority-data":
      cluster["certificate-authority-data"] ?? authorityIn(cluster["certificate-authority"]),
    "proxy-url": cluster["proxy-url"],
    config: extensions.find(({ name }) => name === "client.authentication.k8s.io/exec")?.extension,
  };
}

const authorityIn = (file: unknown): string | undefined =>
  typeof file === "string" ? readFileSync(file).toString("base64") : undefined;
