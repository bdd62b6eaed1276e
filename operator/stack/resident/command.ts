// What the Automation API takes for a CLI: each command becomes a run of the resident Pulumi.
import { credentials } from "@grpc/grpc-js";
import type { EngineEvent, PulumiCommand } from "@pulumi/pulumi/automation";
import { EventsClient } from "@pulumi/pulumi/proto/events_grpc_pb";
import { EventRequest } from "@pulumi/pulumi/proto/events_pb";
import { answerFor, type CommandOutput } from "../answers";
import { PulumiError } from "../pulumi";
import type { Done, Operation } from "./protocol";

/** What a command line asks for. */
export interface Asked {
  readonly operation: Operation;
  readonly refresh: boolean;
  /** Where the Automation API wants the events; undefined where it wants none. */
  readonly eventLog: string | undefined;
}

/** Executes one operation. */
export type Carry = (asked: Asked, onEvent: (event: EngineEvent) => void) => Promise<Done>;

/** The command line in words. Throws on what a resident Pulumi does not do. */
export function askedBy(args: readonly string[]): Asked {
  const has = (flag: string): boolean => args.includes(flag);
  const eventLog = args[args.indexOf("--event-log") + 1];
  return {
    operation: operationOf(args[0] ?? "", has("--preview-only")),
    refresh: has("--refresh"),
    eventLog: has("--event-log") && eventLog !== undefined ? eventLog.replace(/^tcp:\/\//, "") : undefined,
  };
}

function operationOf(command: string, isPreview: boolean): Operation {
  if (command === "up" || command === "preview") return command;
  if (command === "destroy") return isPreview ? "preview-destroy" : "destroy";
  throw new Error(`a resident Pulumi has no command "${command}"`);
}

type OnEvent = (event: EngineEvent) => void;

export function residentCommand(version: string, carry: Carry, onEvent: OnEvent): PulumiCommand {
  const run = (args: readonly string[]): Promise<CommandOutput> => carriedOut(args, carry, onEvent);
  // the Automation API uses these three, whatever the type says; the class cannot be constructed otherwise
  return { command: "pulumi-resident", version, run } as unknown as PulumiCommand;
}

/** `onEvent` gets all events, without the detour over an event log, in which the Automation API itself looks for the summary alone. */
export async function carriedOut(args: readonly string[], carry: Carry, onEvent: OnEvent): Promise<CommandOutput> {
  const answer = answerFor(args);
  if (answer !== undefined) return answer;
  const asked = askedBy(args);
  if (asked.eventLog === undefined) return outputOf(await carry(asked, onEvent));
  const log = new EventLog(asked.eventLog);
  const tell = (event: EngineEvent): void => {
    onEvent(event);
    if (event.summaryEvent !== undefined) log.write(event);
  };
  try {
    return outputOf(await carry(asked, tell));
  } finally {
    await log.close();
  }
}

function outputOf({ result, message }: Done): CommandOutput {
  if (result === "succeeded") return { stdout: "", stderr: "", code: 0 };
  throw new PulumiError(`the resident Pulumi answered: ${result}`, message, result === "corrupt");
}

/** Sends events to where the Automation API listens, as the CLI does. */
class EventLog {
  readonly #client: EventsClient;
  readonly #stream: ReturnType<EventsClient["streamEvents"]>;
  readonly #received: Promise<unknown>;

  constructor(address: string) {
    this.#client = new EventsClient(address, credentials.createInsecure());
    const { promise, resolve, reject } = Promise.withResolvers();
    this.#received = promise;
    this.#stream = this.#client.streamEvents((error, received) => {
      if (error) reject(error);
      else resolve(received);
    });
  }

  readonly write = (event: EngineEvent): void => {
    const request = new EventRequest();
    request.setEvent(JSON.stringify(event));
    this.#stream.write(request);
  };

  async close(): Promise<void> {
    this.#stream.end();
    await this.#received;
    this.#client.close();
  }
}
