// Who asked what of the API server, by its audit log.
import { createReadStream } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { z } from "zod";

const Event = z.object({
  stage: z.string(),
  verb: z.string(),
  user: z.object({ username: z.string() }),
  userAgent: z.string().default(""),
  requestReceivedTimestamp: z.string(),
});

/** One request. */
export interface Request {
  readonly verb: string;
  readonly user: string;
  readonly agent: string;
  /** When it came, in milliseconds since 1970. */
  readonly at: number;
}

/** The request that a line of the log reports, once: when it was answered. Undefined for other lines. */
export function requestIn(line: string): Request | undefined {
  const event = Event.safeParse(parse(line)).data;
  if (event?.stage !== "ResponseComplete") return undefined;
  const { verb, user, userAgent, requestReceivedTimestamp } = event;
  return { verb, user: user.username, agent: userAgent, at: Date.parse(requestReceivedTimestamp) };
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    // the last line may not have been written to its end
    return undefined;
  }
}

/** A stretch of time, in milliseconds since 1970. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Requests of a span whose line contains `text`, in the log and in those that were put away. */
export async function requestsIn(auditLog: string, { from, to }: Span, text: string): Promise<readonly Request[]> {
  const directory = dirname(auditLog);
  const stem = basename(auditLog).replace(/\.log$/, "");
  const files = (await readdir(directory)).filter((name) => name.startsWith(stem) && name.endsWith(".log"));
  const requests: Request[] = [];
  for (const file of files) {
    for await (const line of createInterface({ input: createReadStream(join(directory, file)) })) {
      const request = line.includes(text) ? requestIn(line) : undefined;
      if (request !== undefined && request.at >= from && request.at <= to) requests.push(request);
    }
  }
  return requests;
}

const writing = new Set(["create", "update", "patch", "delete", "deletecollection"]);

export const isWrite = ({ verb }: Request): boolean => writing.has(verb);
export const isWatch = ({ verb }: Request): boolean => verb === "watch";
