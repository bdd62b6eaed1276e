// What an agent answers: whether it is alive, whether its member is ready, and what the other agents need to know.
import { createServer, type Server, type ServerResponse } from "node:http";

/** What it answers with. */
export interface Answers {
  /** Whether clients may be sent to this member. */
  readonly isReady: () => boolean;
  /** What the other agents learn. */
  readonly report: () => unknown;
}

/** Answers /liveness, /readiness and /report on `port` at all addresses. */
export function serve(port: number, answers: Answers): Promise<Server> {
  const server = createServer((asked, response) => {
    switch (asked.url ?? "") {
      case "/liveness":
        end(response, 200, "alive");
        return;
      case "/readiness":
        if (answers.isReady()) end(response, 200, "ready");
        else end(response, 503, "not ready");
        return;
      case "/report":
        end(response, 200, JSON.stringify(answers.report()));
        return;
      default:
        end(response, 404, "there is no such page");
    }
  });
  return listening(server, port);
}

/** The server, once it listens on `port` at all addresses. */
export function listening(server: Server, port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, () => {
      resolve(server);
    });
  });
}

function end(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { "content-type": "text/plain", connection: "close" });
  response.end(body);
}
