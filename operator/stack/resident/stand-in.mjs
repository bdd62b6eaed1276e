// Stands in for pulumi-resident where its failures must be scripted: what a run does is named by its stack.
import process from "node:process";
import { createInterface } from "node:readline";

const say = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);

createInterface(process.stdin)
  .on("line", (line) => {
    const { configure, ping, id, run, cancel } = JSON.parse(line);
    if (configure?.passphrase === "never ready") return;
    if (configure?.passphrase === "dies at once") process.exit(1);
    if (configure) say({ ready: { pulumi: "3.258.0", pid: process.pid } });
    if (ping !== undefined) say({ pong: ping, runs: 1, active: 0, rss: 1e9 });
    if (cancel) say({ id, done: { result: "cancelled", message: cancel, checkpoint: { version: 3 } } });
    if (run?.stack === "dies") process.exit(1);
    if (run?.stack === "freezes") process.kill(process.pid, "SIGSTOP");
    if (run?.stack === "babbles") process.stdout.write("not an answer\n");
    if (run?.stack === "good") {
      say({ id, event: { cancelEvent: {} } });
      say({ id, done: { result: "succeeded", checkpoint: run.checkpoint } });
    }
  })
  .on("close", () => process.exit(0));
