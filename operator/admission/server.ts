// The HTTPS door for the API server: reviews by POST, and certificates that change while requests continue.
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import type { Issued } from "../certificates/certificate-set";
import type { PreviewApi } from "../preview-api/api";
import { fingerprintsIn } from "../preview-api/front-proxy";
import { Intake, type Reply, type Rest } from "./intake";
import { JsonText } from "./json-text";
import type { Answer, Later } from "./review";
import { shownBy } from "./shown-certificate";

/** The answer to a review's text. Rejects for what is no fault of the client. */
export type Handler = (text: string) => Answer | Promise<Answer | Later>;

/** What is behind a path. */
export interface Door {
  readonly handle: Handler;
  /** Of a review, in bytes. */
  readonly maxBytes: number;
  /** Whether only those may come in whom the clients' authority knows, where there is one. Default: false. */
  readonly forClients?: boolean;
}

export interface WebhookServer {
  readonly port: number;
  /** New connections get this certificate from now on; those that are open stay. */
  use(serving: Issued): void;
  /** The authorities of the API server's own certificate, in PEM: who shows one of theirs may say for whom it asks. */
  trust(frontProxies: string): void;
  close(): Promise<void>;
}

export interface WebhookServerOptions {
  readonly port: number;
  /** By path. */
  readonly doors: Readonly<Record<string, Door>>;
  /** The authority of clients' certificates, in PEM. Default: none, and all are let in. */
  readonly clientAuthority?: string | undefined;
  /** Answers what is below paths of its own. Default: nothing does. */
  readonly api?: PreviewApi | undefined;
  readonly onError: (path: string, error: unknown) => void;
}

const mebibyte = 1024 ** 2;

/** A Database in an envelope, in bytes: none with more than 1.5 MiB can be stored. */
const maxQuestion = 2 * mebibyte;

/** For all API servers, each with many requests at a time. */
const maxConnections = 256;

/** Of a request's headers, in bytes: the API server names every group of the person for whom it asks, and some are in thousands. */
const maxHeaderSize = 256 * 1024;

/** Longer than the API server keeps a connection that it does not use, 90 s: it is the one that ends it. */
const keepAliveMs = 120_000;

/** Listens; until it has a certificate, no connection comes about. Rejects where the port is taken. */
export async function serveReviews(options: WebhookServerOptions): Promise<WebhookServer> {
  const { clientAuthority, api } = options;
  const server = createServer({
    // asked for and judged door by door: the API server shows none where it has versions converted
    ...((clientAuthority !== undefined || api !== undefined) && { requestCert: true, rejectUnauthorized: false }),
    ...{ requestTimeout: 15_000, headersTimeout: 5000, handshakeTimeout: 5000, connectionsCheckingInterval: 2000 },
    ...{ keepAliveTimeout: keepAliveMs, maxHeaderSize },
  });
  server.maxConnections = maxConnections;
  // Node would drop those beyond a number without a word, and with them groups of a person: their size is the limit
  server.maxHeadersCount = 0;
  const intake = new Intake({ maxHeld: 64 * mebibyte, large: mebibyte });
  // of its own: a preview takes longer than a review may wait
  const questions = new Intake({ maxHeld: 16 * mebibyte, large: Infinity });
  server.on("request", (request, response) => {
    void answer(request, response, { ...options, intake, questions });
  });
  // a connection that fails is reported by its other end
  server.on("tlsClientError", (_error, socket) => socket.destroy());
  await listening(server, options.port);
  const secrets: { serving?: Issued; frontProxies?: string } = {};
  const apply = (): void => {
    const { serving, frontProxies } = secrets;
    if (serving === undefined) return;
    const ca = [clientAuthority, frontProxies].filter((authority) => authority !== undefined);
    server.setSecureContext({ cert: serving.certificate, key: serving.key, ca: ca.length === 0 ? undefined : ca });
  };
  const address: AddressInfo | string | null = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : options.port,
    use(serving) {
      secrets.serving = serving;
      apply();
    },
    trust(frontProxies) {
      secrets.frontProxies = frontProxies;
      apply();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeIdleConnections();
      }),
  };
}

function listening(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause) => {
      const hint = "set DATABASE_OPERATOR_WEBHOOK_PORT to a free port, or to 0 for no webhooks";
      reject(new Error(`cannot listen on port ${port} (${cause.message}): ${hint}`, { cause }));
    });
    server.listen(port, () => {
      resolve();
    });
  });
}

type Options = Pick<WebhookServerOptions, "doors" | "onError" | "clientAuthority" | "api"> & {
  readonly intake: Intake;
  readonly questions: Intake;
};

async function answer(request: IncomingMessage, response: ServerResponse, options: Options): Promise<void> {
  const path = request.url?.split("?")[0] ?? "";
  try {
    const reply = await replyOf(path, request, options);
    // what follows of a body that was not read belongs to no request
    if (!request.readableEnded) response.setHeader("Connection", "close");
    send(response, reply);
  } catch (error) {
    // one that hung up needs no answer
    if (response.destroyed) return;
    options.onError(path, error);
    send(response, [500, "the operator could not answer: its log says why"]);
  }
}

function send(response: ServerResponse, [status, body, headers = {}]: Reply): void {
  const isText = typeof body === "string";
  const text = isText ? `${body}\n` : body instanceof JsonText ? body.text : JSON.stringify(body);
  response.writeHead(status, { ...headers, "Content-Type": isText ? "text/plain" : "application/json" });
  response.end(text);
}

async function replyOf(path: string, request: IncomingMessage, options: Options): Promise<Reply> {
  const { doors, intake, questions, clientAuthority, api } = options;
  if (api?.owns(path) === true) return apiReply(path, request, { api, questions });
  const door = Object.hasOwn(doors, path) ? doors[path] : undefined;
  if (door === undefined) return [404, `there is no ${path}`];
  if (request.method !== "POST") return [405, "send a review by POST"];
  if (door.forClients === true && clientAuthority !== undefined && !isKnown(request, clientAuthority))
    return [403, "a client certificate of the authority in DATABASE_OPERATOR_WEBHOOK_CLIENT_CA is needed here"];
  return intake.take(request, { most: door.maxBytes }, async (text): Promise<Reply | Rest> => {
    const answered = await door.handle(text);
    return answered.kind === "later" ? async () => replyWith(await answered.finish()) : replyWith(answered);
  });
}

const replyWith = (answer: Answer): Reply => (answer.kind === "review" ? [200, answer.review] : [400, answer.problem]);

/** Other clients are known by other authorities. */
function isKnown(request: IncomingMessage, clientAuthority: string): boolean {
  const own = fingerprintsIn(clientAuthority);
  return shownBy(request)?.issuers.some((issuer) => own.has(issuer)) === true;
}

function apiReply(
  path: string,
  request: IncomingMessage,
  { api, questions }: { readonly api: PreviewApi; readonly questions: Intake },
): Promise<Reply> {
  return api.answer({
    method: request.method ?? "",
    path,
    headers: request.headersDistinct,
    shown: shownBy(request),
    withBody: (work) => questions.take(request, { most: maxQuestion, isLengthOptional: true }, work),
  });
}
