// The HTTP doors for kubelet and Prometheus: /healthz and /readyz on one port, /metrics on another.
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Registry } from "prom-client";

export interface ProbeOptions {
  readonly healthPort: number;
  readonly metricsPort: number;
  /** Why the operator is not ready; undefined when it is. */
  readonly notReady: () => string | undefined;
  readonly registry: Registry;
}

export interface Probes {
  readonly healthPort: number;
  readonly metricsPort: number;
  close(): Promise<void>;
}

/** Listens on both ports. Rejects with a message that names the variable to set when one of them is taken. */
export async function serveProbes(options: ProbeOptions): Promise<Probes> {
  const health = await listen(options.healthPort, "DATABASE_OPERATOR_HEALTH_PORT", (request, response) => {
    const problem = request.url === "/readyz" ? options.notReady() : undefined;
    const known = request.url === "/readyz" || request.url === "/healthz";
    response.writeHead(known ? (problem === undefined ? 200 : 503) : 404, { "Content-Type": "text/plain" });
    response.end(known ? `${problem ?? "ok"}\n` : "not found\n");
  });
  const answerMetrics: RequestListener = (request, response) => {
    if (request.url !== "/metrics") {
      response.writeHead(404).end();
      return;
    }
    void options.registry.metrics().then(
      (text) => response.writeHead(200, { "Content-Type": options.registry.contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  };
  const metrics = await listen(options.metricsPort, "DATABASE_OPERATOR_METRICS_PORT", answerMetrics).catch(
    async (error: unknown) => {
      await close(health);
      throw error;
    },
  );
  return {
    healthPort: portOf(health),
    metricsPort: portOf(metrics),
    async close() {
      await Promise.all([close(health), close(metrics)]);
    },
  };
}

function listen(port: number, variable: string, listener: RequestListener): Promise<Server> {
  const server = createServer({ requestTimeout: 10_000, headersTimeout: 5000 }, listener);
  return new Promise((resolve, reject) => {
    server.once("error", (cause) => {
      reject(new Error(`cannot listen on port ${port} (${cause.message}): set ${variable} to a free port`, { cause }));
    });
    server.listen(port, () => {
      resolve(server);
    });
  });
}

function portOf(server: Server): number {
  const address: AddressInfo | string | null = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

function close(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
  });
}
