// A client that reads as the operator does and only pretends to write: the operator's own code runs, and changes nothing.
import { KubeClient } from "../kube/client";
import { isRecord } from "../objects/json";

/** Answers every write with what was to be written. */
export class DryClient extends KubeClient {
  override create(_path: string, body: unknown): Promise<unknown> {
    return Promise.resolve(asStored(body));
  }

  override replace(_path: string, body: unknown): Promise<unknown> {
    return Promise.resolve(asStored(body));
  }

  override apply(_path: string, body: unknown): Promise<unknown> {
    return Promise.resolve(asStored(body));
  }

  override mergePatch(_path: string, body: unknown): Promise<unknown> {
    return Promise.resolve(asStored(body));
  }

  override delete(): Promise<"gone"> {
    return Promise.resolve("gone");
  }
}

/** The object with the version that the API server would have given it. */
function asStored(body: unknown): unknown {
  const object = isRecord(body) ? body : {};
  const metadata = isRecord(object["metadata"]) ? object["metadata"] : {};
  return { ...object, metadata: { ...metadata, resourceVersion: "0" } };
}
