// The proxy's way to the API server: kept-alive connections, requests passed on as they are.
import * as http from "node:http";
import * as https from "node:https";
import { buffer } from "node:stream/consumers";
import type { ApiRequest } from "./request";

export interface Upstream {
  /** Sends a client's request on; ends it when the client leaves. Resolves with the head of the answer. */
  send(request: http.IncomingMessage, about: ApiRequest, client: http.ServerResponse): Promise<http.IncomingMessage>;
  close(): void;
}

/** Headers that are about one connection only. */
const ownHeaders = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

export function openUpstream({ url, ca }: { readonly url: string; readonly ca?: string }): Upstream {
  const secure = url.startsWith("https:");
  const agent = secure ? new https.Agent({ keepAlive: true, ca }) : new http.Agent({ keepAlive: true });
  const open = secure ? https.request : http.request;
  return {
    send: (request, about, client) =>
      new Promise((resolve, reject) => {
        const onward = open(new URL(request.url ?? "/", url), {
          agent,
          method: request.method,
          headers: { ...onwardHeaders(request.headers, about), host: new URL(url).host },
        });
        onward.once("response", resolve).once("error", reject);
        client.once("close", () => {
          if (!client.writableEnded) onward.destroy();
        });
        request.pipe(onward);
      }),
    close: () => {
      agent.destroy();
    },
  };
}

/** The answer's body as it came. */
export async function bodyOf(answer: http.IncomingMessage): Promise<Buffer> {
  return buffer(answer);
}

/** The answer's headers, without those of the connection. */
export function passedHeaders(answer: http.IncomingMessage): http.OutgoingHttpHeaders {
  return withoutOwn(answer.headers);
}

function onwardHeaders(headers: http.IncomingHttpHeaders, { verb }: ApiRequest): http.OutgoingHttpHeaders {
  // lists are looked into
  return { ...withoutOwn(headers), ...(verb === "list" ? { "accept-encoding": "identity" } : {}) };
}

function withoutOwn(headers: http.IncomingHttpHeaders): http.OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !ownHeaders.has(name)));
}
