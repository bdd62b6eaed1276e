// Asks a server and hands back whatever it answers.
import { request } from "node:http";

/** What is asked. */
export interface Question {
  readonly method: string;
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** How long the whole answer may take, in milliseconds. */
  readonly withinMs: number;
}

/** What was answered. */
export interface Reply {
  readonly status: number;
  readonly text: string;
}

/** The answer, good or bad. Throws where none comes in time. */
export function exchange({ method, url, headers, body, withinMs }: Question): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const options = { method, agent: false, signal: AbortSignal.timeout(withinMs), ...(headers && { headers }) };
    const asked = request(url, options, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("error", reject);
      answer.on("end", () => {
        resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString() });
      });
    });
    asked.on("error", reject);
    asked.end(body);
  });
}
