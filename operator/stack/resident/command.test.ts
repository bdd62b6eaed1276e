import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { Server, ServerCredentials, type sendUnaryData, type ServerReadableStream } from "@grpc/grpc-js";
import type { EngineEvent } from "@pulumi/pulumi/automation";
import { EventsService } from "@pulumi/pulumi/proto/events_grpc_pb";
import type { EventRequest } from "@pulumi/pulumi/proto/events_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { askedBy, carriedOut, type Carry } from "./command";

const lines: readonly (readonly [line: string, asked: ReturnType<typeof askedBy>])[] = [
  ["up --yes --skip-preview", { operation: "up", refresh: false, eventLog: undefined }],
  ["up --yes --refresh --stack team.shop", { operation: "up", refresh: true, eventLog: undefined }],
  ["preview --event-log tcp://127.0.0.1:9", { operation: "preview", refresh: false, eventLog: "127.0.0.1:9" }],
  ["destroy --yes", { operation: "destroy", refresh: false, eventLog: undefined }],
  ["destroy --preview-only --event-log tcp://h:1", { operation: "preview-destroy", refresh: false, eventLog: "h:1" }],
];

for (const [line, asked] of lines) {
  test(`\`pulumi ${line}\` asks for ${asked.operation}`, () => {
    assert.deepEqual(askedBy(line.split(" ")), asked);
  });
}

test("other commands are refused rather than misunderstood", () => {
  for (const line of ["import", "stack rm", "refresh"]) assert.throws(() => askedBy(line.split(" ")), /no command/);
});

/** Where the Automation API would listen, and what it gets there. */
async function eventLog(t: TestContext): Promise<{ readonly address: string; readonly received: unknown[] }> {
  const received: unknown[] = [];
  const server = new Server();
  server.addService(EventsService, {
    streamEvents: (call: ServerReadableStream<EventRequest, Empty>, answer: sendUnaryData<Empty>) => {
      call.on("data", (request: EventRequest) => received.push(JSON.parse(request.getEvent())));
      call.on("end", () => {
        answer(null, new Empty());
      });
    },
  });
  t.after(() => {
    server.forceShutdown();
  });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) => {
      if (error === null) resolve(bound);
      else reject(error);
    });
  });
  return { address: `tcp://127.0.0.1:${port}`, received };
}

test("who listens hears every event at once, and the Automation API the summary that it looks for", async (t) => {
  const { address, received } = await eventLog(t);
  const stamp = { sequence: 1, timestamp: 1 };
  const step: EngineEvent = { ...stamp, stdoutEvent: { message: "a step", color: "never" } };
  const summary: EngineEvent = {
    ...stamp,
    summaryEvent: { maybeCorrupt: false, durationSeconds: 1, resourceChanges: { same: 1 }, policyPacks: {} },
  };
  const carry: Carry = (_asked, onEvent) => {
    for (const event of [step, summary]) onEvent(event);
    return Promise.resolve({ result: "succeeded", message: "", checkpoint: undefined });
  };
  const heard: EngineEvent[] = [];
  await carriedOut(["preview", "--event-log", address], carry, (event) => heard.push(event));
  assert.deepEqual(heard, [step, summary]);
  assert.deepEqual(received, [summary]);
});
