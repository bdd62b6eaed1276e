// The server under the console.
import type { AddressInfo } from "node:net";
import { createServer as createTlsServer, Server as TlsServer, type ServerOptions } from "node:https";
import { createAdaptorServer } from "@hono/node-server";
import type { Hono } from "hono";
import { Trouble } from "../../command/trouble";
import type { ConsoleEnv } from "../web/context";

export interface Address {
  /** Missing: all addresses, also where the kernel has no IPv6. */
  readonly host?: string;
  /** 0: one that is free. */
  readonly port: number;
  /** Missing: without TLS. */
  readonly tls?: ServerOptions;
}

/** A server that takes requests. */
export interface Listening {
  readonly port: number;
  /** Other certificates from the next connection on; throws where they are none. Those that are open stay, or are ended as well. */
  readonly renew: (tls: ServerOptions, ends: "none" | "all") => void;
  readonly close: () => Promise<void>;
}

/** `appAt`: the console, once its port is known. */
export async function listen(
  { host, port, tls }: Address,
  appAt: (port: number) => Hono<ConsoleEnv>,
): Promise<Listening> {
  // the console's own address is in what it checks
  const ready = Promise.withResolvers<Hono<ConsoleEnv>>();
  const fetch = async (...request: Parameters<Hono<ConsoleEnv>["fetch"]>): Promise<Response> =>
    (await ready.promise).fetch(...request);
  const secure = tls && { createServer: createTlsServer, serverOptions: tls };
  const server = createAdaptorServer({ fetch, overrideGlobalObjects: false, ...secure });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: Error) => {
      const at = host === undefined ? `port ${port}` : `${host}:${port}`;
      reject(new Trouble(`cannot listen at ${at}: ${error.message}`, ["--port names another one"]));
    });
    server.listen(port, host, resolve);
  });
  const bound = portOf(server.address());
  ready.resolve(appAt(bound));
  return {
    port: bound,
    renew: (next, ends) => {
      if (!(server instanceof TlsServer)) throw new Error("the server has no certificates");
      server.setSecureContext({ ...tls, ...next });
      if (ends === "all") server.closeAllConnections();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        // what follows changes would never end
        if ("closeAllConnections" in server) server.closeAllConnections();
      }),
  };
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return address.port;
}
