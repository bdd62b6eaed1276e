// The Kubernetes API as a member uses it: get and patch of single objects, with the account's token. A client library would
// more than double the agent's memory.
import { readFile } from "node:fs/promises";
import { Agent, request } from "node:https";
import { join } from "node:path";
import { z } from "zod";

const accountDirectory = "/var/run/secrets/kubernetes.io/serviceaccount";

/** How long an answer may take where nobody says otherwise, in milliseconds. */
const usualPatienceMs = 3_000;

/** The field manager of all that an agent writes. */
const fieldManager = "database-agent";

/** An answer other than a success. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** Where the API is, and the account to use. */
export interface KubernetesClientArgs {
  readonly host: string;
  readonly port: number;
  /** Directory with `token` and `ca.crt`. Default: where a pod has its account's. */
  readonly account?: string;
  /** How long an answer may take, in milliseconds. Default: 3000. */
  readonly patienceMs?: number;
}

/** See the header. */
export class KubernetesClient {
  #agent: Agent | undefined;

  constructor(private readonly args: KubernetesClientArgs) {}

  /** The object at `path`. Throws an ApiError where the API refuses. */
  get(path: string): Promise<unknown> {
    return this.#ask("GET", path);
  }

  /** Changes the object at `path` by a merge patch and returns it. With a resourceVersion in it, it is a compare-and-swap. */
  patch(path: string, change: unknown): Promise<unknown> {
    return this.#ask("PATCH", `${path}?fieldManager=${fieldManager}`, JSON.stringify(change));
  }

  /**
   * The uid of the pod that asks, as its token says; undefined where the token is not a pod's. A pod that was deleted by force keeps
   * running for a while, beside another one of the same name.
   */
  async podUid(): Promise<string | undefined> {
    const { account = accountDirectory } = this.args;
    return podUidIn(await readFile(join(account, "token"), "utf8"));
  }

  async #ask(method: string, path: string, body?: string): Promise<unknown> {
    const { host, port, account = accountDirectory, patienceMs = usualPatienceMs } = this.args;
    // read each time: the kubelet renews it
    const token = (await readFile(join(account, "token"), "utf8")).trim();
    const headers = { authorization: `Bearer ${token}`, accept: "application/json" };
    const typed = body === undefined ? headers : { ...headers, "content-type": "application/merge-patch+json" };
    this.#agent ??= new Agent({ keepAlive: true, maxSockets: 4, ca: await readFile(join(account, "ca.crt")) });
    const options = { method, host, port, path, agent: this.#agent, headers: typed, timeout: patienceMs };
    return new Promise((resolve, reject) => {
      const asked = request({ ...options, signal: AbortSignal.timeout(patienceMs) }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.on("error", reject);
        answer.on("end", () => {
          try {
            resolve(bodyOf(answer.statusCode ?? 0, Buffer.concat(chunks).toString(), `${method} ${path}`));
          } catch (error) {
            reject(error instanceof Error ? error : new Error(String(error)));
          }
        });
      });
      asked.on("error", reject);
      asked.end(body);
    });
  }
}

/** The answer to `asked`. Throws an ApiError for a refusal, and an Error for anything but JSON, such as the page of a proxy. */
export function bodyOf(status: number, text: string, asked: string): unknown {
  if (status < 200 || status >= 300) throw new ApiError(status, `the Kubernetes API answered ${status} to ${asked}`);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`the answer to ${asked} is not JSON`, { cause: error });
  }
}

const Claims = z.object({ "kubernetes.io": z.object({ pod: z.object({ uid: z.string() }) }) });

/** The uid of the pod that a token was made for. */
export function podUidIn(token: string): string | undefined {
  const [, claims = ""] = token.split(".");
  try {
    return Claims.parse(JSON.parse(Buffer.from(claims, "base64url").toString()))["kubernetes.io"].pod.uid;
  } catch {
    return undefined;
  }
}
