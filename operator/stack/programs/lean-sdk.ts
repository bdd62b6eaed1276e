// Takes out of Pulumi's SDK what helps to debug a program and costs a third of each run: stacks, leak lists and debug
// messages, which also hold secrets in clear. The numbers are in docs/adr/0010-inline-programs-share-a-process.md.
/* eslint-disable @typescript-eslint/no-require-imports -- a namespace import is a copy, once it is bundled */
import log = require("@pulumi/pulumi/log");
import debuggable = require("@pulumi/pulumi/runtime/debuggable");
import { Message } from "google-protobuf";

const seams: readonly (readonly [of: object, name: string, lean: unknown])[] = [
  // a stack trace for every promise, and a list of those that are still open
  [debuggable, "debuggablePromise", (promise: unknown) => promise],
  // two requests to the engine for every resource, which drops them
  [log, "debug", () => Promise.resolve()],
  // the text of every answer, for those messages
  [Message.prototype, "toString", () => "(a message)"],
];

/** Done once per process, before the first program. Throws where another version of the SDK has no such place. */
export function leanSdk(): void {
  for (const [of, name, lean] of seams) {
    if (typeof Reflect.get(of, name) !== "function" || !Reflect.set(of, name, lean))
      throw new Error(`this version of Pulumi's SDK has no function ${name} where one was expected`);
  }
}
