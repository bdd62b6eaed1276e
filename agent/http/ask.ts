// Asks another agent.
import { get } from "node:http";

/** The JSON at `path` of an agent, or undefined where no valid answer comes within `withinMs`. */
export function ask(host: string, port: number, path: string, withinMs: number): Promise<unknown> {
  return new Promise((resolve) => {
    const none = (): void => {
      resolve(undefined);
    };
    const asked = get({ host, port, path, agent: false, signal: AbortSignal.timeout(withinMs) }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("error", none);
      answer.on("end", () => {
        resolve(answer.statusCode === 200 ? parsed(Buffer.concat(chunks).toString()) : undefined);
      });
    });
    asked.on("error", none);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
