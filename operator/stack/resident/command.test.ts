import assert from "node:assert/strict";
import test from "node:test";
import { askedBy } from "./command";

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
