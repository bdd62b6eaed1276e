// A small client for the API server, for what the tools themselves ask of it.
import { readFile } from "node:fs/promises";
import { Agent, request } from "node:https";
import { parse } from "yaml";
import { z } from "zod";

/** An answer of the API server other than success. */
export class ApiError extends Error {
  override readonly name = "ApiError";

  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** Requests as the user of a kubeconfig. */
export interface KubernetesApi {
  /** The parsed JSON answer (text when it is not JSON). Throws `ApiError` on a status of 400 or more. */
  request(method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE", path: string, body?: unknown): Promise<unknown>;
  /** Creates or changes an object by server-side apply; `path` is the object's own, with its name. */
  apply(path: string, object: unknown): Promise<unknown>;
  /** Closes kept connections. */
  close(): void;
}

const Kubeconfig = z.object({
  clusters: z.tuple([z.object({ cluster: z.object({ server: z.url(), "certificate-authority-data": z.base64() }) })]),
  users: z.tuple([
    z.object({ user: z.object({ "client-certificate-data": z.base64(), "client-key-data": z.base64() }) }),
  ]),
});

const FIELD_MANAGER = "database-operator-tools";
const TIMEOUT_MILLISECONDS = 10_000;

/** Opens a client for a kubeconfig as kubeconfig.ts writes it. */
export async function openApi(kubeconfig: string): Promise<KubernetesApi> {
  const parsed = Kubeconfig.parse(parse(await readFile(kubeconfig, "utf8")));
  const [{ cluster }] = parsed.clusters;
  const [{ user }] = parsed.users;
  const pem = (data: string): Buffer => Buffer.from(data, "base64");
  const agent = new Agent({
    keepAlive: true,
    ca: pem(cluster["certificate-authority-data"]),
    cert: pem(user["client-certificate-data"]),
    key: pem(user["client-key-data"]),
  });
  const send = async (method: string, path: string, body?: { type: string; value: unknown }): Promise<unknown> => {
    const { status, text } = await exchange(agent, { method, url: new URL(path, cluster.server), body });
    const answer = parseJson(text);
    if (status >= 400) throw new ApiError(status, `${method} ${path}: ${status} ${messageOf(answer)}`);
    return answer;
  };
  return {
    request: (method, path, value) => {
      const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
      return send(method, path, value === undefined ? undefined : { type, value });
    },
    apply: (path, value) =>
      send("PATCH", `${path}?fieldManager=${FIELD_MANAGER}&force=true`, {
        type: "application/apply-patch+yaml",
        value,
      }),
    close: () => {
      agent.destroy();
    },
  };
}

interface Exchange {
  method: string;
  url: URL;
  body?: { type: string; value: unknown };
}

async function exchange(agent: Agent, { method, url, body }: Exchange): Promise<{ status: number; text: string }> {
  return await new Promise((resolve, reject) => {
    const headers = { Accept: "application/json", ...(body && { "Content-Type": body.type }) };
    const sent = request(url, { agent, method, headers, timeout: TIMEOUT_MILLISECONDS }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString("utf8") });
      });
    });
    sent.on("timeout", () => sent.destroy(new Error(`${method} ${url.pathname}: no answer in time`)));
    sent.on("error", reject);
    sent.end(body && JSON.stringify(body.value));
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function messageOf(answer: unknown): string {
  const status = z.object({ message: z.string() }).safeParse(answer);
  return status.success ? status.data.message : String(answer);
}
