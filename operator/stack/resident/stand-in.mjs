// Stands in for pulumi-resident where its failures must be scripted: what a run does is named by its stack.
import process from "node:process";
import { createInterface } from "node:readline";

const say = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);

/** What a run does, by the name of its stack; one that is not here never ends. */
const behaviors = {
  dies: () => process.exit(1),
  freezes: () => process.kill(process.pid, "SIGSTOP"),
  babbles: () => process.stdout.write("not an answer\n"),
  good: (id, { checkpoint }) => {
    say({ id, event: { cancelEvent: {} } });
    say({ id, done: { result: "succeeded", checkpoint } });
  },
};

function configure({ passphrase }) {
  if (passphrase === "dies at once") process.exit(1);
  if (passphrase !== "never ready") say({ ready: { pulumi: "3.258.0", pid: process.pid } });
}

createInterface(process.stdin)
  .on("line", (line) => {
    const request = JSON.parse(line);
    const { id, run } = request;
    if (request.configure) configure(request.configure);
    if (request.ping !== undefined) say({ pong: request.ping, runs: 1, active: 0, rss: 1e9 });
    if (request.cancel) say({ id, done: { result: "cancelled", message: request.cancel, checkpoint: { version: 3 } } });
    if (run) behaviors[run.stack]?.(id, run);
  })
  .on("close", () => process.exit(0));
