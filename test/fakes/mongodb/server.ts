// The scripted set behind real sockets: one for each member's network, and one for its own machine.
import { createServer, type Server, type Socket } from "node:net";
import { once } from "node:events";
import { Binary } from "bson";
import { z } from "zod";
import { answer, type Session } from "./commands";
import { CommandError, refusals } from "./errors";
import { beginScram, type Conversation } from "./scram";
import { ScriptedSet, type Member, type Rules } from "./set";
import { MessageReader, replyTo, type Message } from "./wire";

const Start = z.looseObject({ mechanism: z.string(), payload: z.instanceof(Binary), $db: z.string() });
const Continue = z.looseObject({ payload: z.instanceof(Binary) });

/** How a member's server treats its clients beside what the set's rules say. */
interface Manners {
  /** Delay before each answer, in milliseconds. */
  delayMs: number;
  /** Whether it takes connections and never answers, as a process that is stopped does. */
  frozen: boolean;
}

/** A scripted set that drivers can reach. */
export class ScriptedServers {
  readonly set: ScriptedSet;
  readonly #servers: Server[] = [];
  readonly #sockets = new Map<string, Set<Socket>>();
  readonly #manners = new Map<string, Manners>();
  /** By member: the address for clients on its own machine. */
  readonly #local = new Map<string, string>();

  private constructor(set: ScriptedSet) {
    this.set = set;
  }

  /** Listens for `count` members, none of which is up. Their hosts are addresses of this machine. */
  static async listen(count: number, rules?: Rules): Promise<ScriptedServers> {
    const ports = await Promise.all(Array.from({ length: count }, () => listening()));
    const hosts = ports.map(({ port }) => `127.0.0.1:${port}`);
    const servers = new ScriptedServers(new ScriptedSet(hosts, rules));
    for (const [index, { server }] of ports.entries()) {
      const member = servers.set.member(hosts[index] ?? "");
      servers.#serve(server, member, false);
      const own = await listening();
      servers.#serve(own.server, member, true);
      servers.#local.set(member.host, `127.0.0.1:${own.port}`);
    }
    return servers;
  }

  /** Where clients on the member's own machine connect to. */
  localAddress(host: string): string {
    return this.#local.get(host) ?? "";
  }

  /** Ends the member's server at once, and all connections to it. */
  kill(host: string): void {
    this.set.kill(host);
    for (const socket of this.#sockets.get(host) ?? []) socket.destroy();
  }

  /** Makes the member's server slow or silent; other values as they were. */
  behave(host: string, manners: Partial<Manners>): void {
    this.#manners.set(host, { ...this.#mannersOf(host), ...manners });
  }

  /** Ends all servers. */
  close(): void {
    for (const sockets of this.#sockets.values()) for (const socket of sockets) socket.destroy();
    for (const server of this.#servers) server.close();
  }

  #mannersOf(host: string): Manners {
    return this.#manners.get(host) ?? { delayMs: 0, frozen: false };
  }

  #serve(server: Server, member: Member, local: boolean): void {
    this.#servers.push(server);
    server.on("connection", (socket) => {
      if (!member.up) {
        socket.destroy();
        return;
      }
      const sockets = this.#sockets.get(member.host) ?? new Set();
      this.#sockets.set(member.host, sockets.add(socket));
      const client = new Client(this.set, member, local);
      const reader = new MessageReader();
      socket.on("error", () => socket.destroy());
      socket.on("close", () => sockets.delete(socket));
      socket.on("data", (chunk: Buffer) => {
        for (const message of reader.read(chunk)) this.#answer(socket, client, message);
      });
    });
  }

  #answer(socket: Socket, client: Client, message: Message): void {
    const { delayMs, frozen } = this.#mannersOf(client.member.host);
    if (frozen) return;
    const reply = client.answer(message);
    setTimeout(() => {
      if (!socket.destroyed) socket.write(reply);
    }, delayMs);
  }
}

async function listening(): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a server listens on no port");
  return { server, port: address.port };
}

/** One connection: who logged in on it, and the answers to it. */
class Client {
  readonly #session: Session;
  #conversation: { readonly scram: Conversation; readonly database: string } | undefined;

  constructor(
    readonly set: ScriptedSet,
    readonly member: Member,
    local: boolean,
  ) {
    this.#session = { local };
  }

  answer(message: Message): Buffer {
    try {
      return replyTo(message, this.#reply(message.command));
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      const { message: errmsg, code, codeName } = error;
      return replyTo(message, { ok: 0, errmsg, code, codeName });
    }
  }

  #reply(command: Message["command"]): Record<string, unknown> {
    const [name] = Object.keys(command);
    if (name === "saslStart") return this.#begin(command);
    if (name === "saslContinue") return this.#continue(command);
    const { set, member } = this;
    return { ...answer({ set, member, session: this.#session, command }), ...mechanisms(command) };
  }

  #begin(command: Message["command"]): Record<string, unknown> {
    const { payload, $db: database } = Start.parse(command);
    const scram = beginScram(payload.toString("utf8"));
    this.#conversation = { scram, database };
    return { conversationId: 1, done: false, payload: binaryOf(scram.challenge), ok: 1 };
  }

  #continue(command: Message["command"]): Record<string, unknown> {
    const { payload } = Continue.parse(command);
    if (this.#conversation === undefined) throw refusals.authenticationFailed("no conversation");
    const { scram, database } = this.#conversation;
    if (this.#session.user !== undefined) return { conversationId: 1, done: true, payload: binaryOf(""), ok: 1 };
    const user = this.member.users.find((known) => known.name === scram.name && known.database === database);
    const last = scram.finish(payload.toString("utf8"), user?.password);
    if (last === undefined) throw refusals.authenticationFailed("Authentication failed.");
    this.#session.user = scram.name;
    return { conversationId: 1, done: false, payload: binaryOf(last), ok: 1 };
  }
}

const binaryOf = (text: string): Binary => new Binary(Buffer.from(text, "utf8"));

/** A greeting may ask how a user can log in. */
const mechanisms = (command: Message["command"]): Record<string, unknown> =>
  "saslSupportedMechs" in command ? { saslSupportedMechs: ["SCRAM-SHA-256"] } : {};
