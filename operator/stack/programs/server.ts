// Hosts the inline programs of all runs behind one address, each in a world of its own: what one does, no other notices.
import { Server, ServerCredentials, type sendUnaryData, type ServerUnaryCall } from "@grpc/grpc-js";
import type { PulumiFn } from "@pulumi/pulumi/automation";
import { LanguageRuntimeService } from "@pulumi/pulumi/proto/language_grpc_pb";
import { GetRequiredPluginsResponse, RunResponse, type RunRequest } from "@pulumi/pulumi/proto/language_pb";
import { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb";
import { leanSdk } from "./lean-sdk";
import { runInItsWorld } from "./world";

/** A program that is ready to be run. */
export interface Hosted extends Disposable {
  /** Where Pulumi reaches it, as `host:port`. */
  readonly address: string;
}

interface Registered {
  readonly program: PulumiFn;
  /** Aborted when no engine waits for the program any more. */
  readonly abandoned: AbortController;
}

/** The largest message of a program, in bytes: what Pulumi itself allows. */
const largestMessage = 1024 * 1024 * 400;

export class ProgramServer {
  readonly #server: Server;
  readonly #programs = new Map<string, Registered>();
  #address: Promise<string> | undefined;

  constructor() {
    leanSdk();
    this.#server = new Server({ "grpc.max_receive_message_length": largestMessage });
    this.#server.addService(LanguageRuntimeService, {
      run: (call: ServerUnaryCall<RunRequest, RunResponse>, answer: sendUnaryData<RunResponse>) => {
        void this.#run(call.request).then((response) => {
          answer(null, response);
        });
      },
      getRequiredPlugins: (_call: unknown, answer: sendUnaryData<GetRequiredPluginsResponse>) => {
        answer(null, new GetRequiredPluginsResponse());
      },
      getPluginInfo: (_call: unknown, answer: sendUnaryData<PluginInfo>) => {
        const info = new PluginInfo();
        info.setVersion("1.0.0");
        answer(null, info);
      },
    });
  }

  /** Has `program` answer for `stack` until it is disposed of. Throws when the stack has a program already. */
  async host(stack: string, program: PulumiFn): Promise<Hosted> {
    const address = await (this.#address ??= this.#listen());
    if (this.#programs.has(stack)) throw new Error(`the stack ${stack} is already running`);
    const abandoned = new AbortController();
    this.#programs.set(stack, { program, abandoned });
    return {
      address,
      [Symbol.dispose]: () => {
        this.#programs.delete(stack);
        abandoned.abort();
      },
    };
  }

  /** Ends the server, and with it what programs still wait for. */
  async close(): Promise<void> {
    // a server that is shut down while it begins to listen keeps listening
    await this.#address?.catch(() => undefined);
    this.#server.forceShutdown();
  }

  #listen(): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) => {
        if (error) reject(error);
        else resolve(`127.0.0.1:${port}`);
      });
    });
  }

  async #run(request: RunRequest): Promise<RunResponse> {
    const response = new RunResponse();
    const failure = await this.#failureOf(request);
    if (failure !== undefined) response.setError(failure);
    return response;
  }

  async #failureOf(request: RunRequest): Promise<string | undefined> {
    const hosted = this.#programs.get(request.getStack());
    if (hosted === undefined) return `there is no program for the stack ${request.getStack()}`;
    return runInItsWorld(request, hosted.program, hosted.abandoned.signal);
  }
}
