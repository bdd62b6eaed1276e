// Takes out of Pulumi's SDK what costs a good part of each run and the operator does not need: stacks, leak lists and debug messages,
// which also hold secrets in clear, and the outputs of resources. The numbers are in
// docs/adr/0010-inline-programs-share-a-process.md.
/* eslint-disable @typescript-eslint/no-require-imports -- a namespace import is a copy, once it is bundled */
import log = require("@pulumi/pulumi/log");
import debuggable = require("@pulumi/pulumi/runtime/debuggable");
import { Message, type BinaryReader } from "google-protobuf";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { RegisterResourceResponse } from "@pulumi/pulumi/proto/resource_pb";

/** Number of the field that has a resource's outputs. */
const outputsField = 3;
const decodeAnswer = RegisterResourceResponse.deserializeBinaryFromReader.bind(RegisterResourceResponse);

/**
 * An answer without the resource's outputs, which are the whole object as the cluster has it: the SDK takes the inputs in
 * their place, and no program here asks for more.
 */
function withoutOutputs(answer: RegisterResourceResponse, reader: BinaryReader): RegisterResourceResponse {
  const next = reader.nextField.bind(reader);
  reader.nextField = () => {
    while (next()) {
      if (reader.getFieldNumber() !== outputsField) return true;
      reader.skipField();
    }
    return false;
  };
  answer.setObject(new Struct());
  return decodeAnswer(answer, reader);
}

const seams: readonly (readonly [of: object, name: string, lean: unknown])[] = [
  // a stack trace for every promise, and a list of those that are still open
  [debuggable, "debuggablePromise", (promise: unknown) => promise],
  // two requests to the engine for every resource, which drops them
  [log, "debug", () => Promise.resolve()],
  // the text of every answer, for those messages
  [Message.prototype, "toString", () => "(a message)"],
  [RegisterResourceResponse, "deserializeBinaryFromReader", withoutOutputs],
];

/** Done once per process, before the first program. Throws where another version of the SDK has no such place. */
export function leanSdk(): void {
  for (const [of, name, lean] of seams) {
    if (typeof Reflect.get(of, name) !== "function" || !Reflect.set(of, name, lean))
      throw new Error(`this version of Pulumi's SDK has no function ${name} where one was expected`);
  }
}
