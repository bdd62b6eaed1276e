// Requests with large bodies, over many connections at once, until it is stopped.
import { Agent, request } from "node:https";

export interface Flood {
  /** How many of them were answered, by status; under 0 those whose connection ended. */
  readonly answers: ReadonlyMap<number, number>;
  stop(): Promise<void>;
}

/** Sends the body to that port of this machine again and again, whatever certificate it shows. */
export function startFlood(port: number, path: string, body: string, connections: number): Flood {
  const agent = new Agent({ keepAlive: true, maxSockets: connections, rejectUnauthorized: false });
  const bytes = Buffer.from(body);
  const answers = new Map<number, number>();
  let isOver = false;
  const sendOn = async (): Promise<void> => {
    while (!isOver) {
      const status = await sent();
      answers.set(status, (answers.get(status) ?? 0) + 1);
    }
  };
  const sent = (): Promise<number> =>
    new Promise((resolve) => {
      const asked = request({ port, path, method: "POST", agent, headers: { "Content-Length": bytes.length } });
      asked.on("response", (response) => {
        response.resume().on("close", () => {
          resolve(response.statusCode ?? 0);
        });
      });
      asked.on("error", () => {
        resolve(0);
      });
      asked.end(bytes);
    });
  const running = Array.from({ length: connections }, sendOn);
  return {
    answers,
    async stop() {
      isOver = true;
      agent.destroy();
      await Promise.all(running);
    },
  };
}
