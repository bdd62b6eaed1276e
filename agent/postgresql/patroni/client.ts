// Patroni's own REST API, as the programs beside it use it.
import type { z } from "zod";
import { exchange, type Reply } from "../../http/exchange";
import type { Credentials } from "../settings";
import { Cluster, Configuration, OwnState, Turning } from "./answers";

const ownAddress = "http://127.0.0.1:8008";

/** How long an answer may take where nobody waits for it, in milliseconds. */
const patienceMs = 10_000;

/** What Patroni said to a switchover. */
export interface SwitchOver {
  readonly done: boolean;
  readonly answer: string;
}

/** See the header. Everything throws where nothing sensible comes in time. */
export class PatroniClient {
  readonly #address: string;
  readonly #credentials: Credentials | undefined;

  /** Without credentials Patroni can be asked, and takes no orders. `address`: where it listens. Default: on this machine. */
  constructor(credentials?: Credentials, address = ownAddress) {
    this.#credentials = credentials;
    this.#address = address;
  }

  /** This member, also where Patroni answers that it is not well. */
  own(withinMs = patienceMs): Promise<OwnState> {
    return this.#ask("/patroni", OwnState, withinMs, () => true);
  }

  /** Whether its loop turns, also where it answers that it is not well. */
  turning(withinMs = patienceMs): Promise<Turning> {
    return this.#ask("/patroni", Turning, withinMs, () => true);
  }

  cluster(withinMs = patienceMs): Promise<Cluster> {
    return this.#ask("/cluster", Cluster, withinMs);
  }

  configuration(withinMs = patienceMs): Promise<Configuration> {
    return this.#ask("/config", Configuration, withinMs);
  }

  /** Whether the address answers that it is so, such as `/primary` of a member that is one. Never throws. */
  async confirms(url: string, withinMs: number): Promise<boolean> {
    try {
      return isGood(await exchange({ method: "GET", url: new URL(url, this.#address), withinMs }));
    } catch {
      return false;
    }
  }

  /** Makes it look at once: a change of its configuration that changes nothing is all that does. */
  async wake(): Promise<void> {
    const { ttl } = await this.configuration();
    await this.#order("PATCH", "/config", { ttl });
  }

  /** Asks it to restart the server in place; returns what it says. */
  async restart(): Promise<string> {
    return answerIn(await this.#order("POST", "/restart", {}));
  }

  /** Asks it to copy all data of this member again; returns what it says. */
  async reinitialize(): Promise<string> {
    return answerIn(await this.#order("POST", "/reinitialize", { force: true }));
  }

  /** Has another member take over from this one, and resolves when one has. */
  async switchOver(from: string, withinMs: number): Promise<SwitchOver> {
    const reply = await this.#order("POST", "/switchover", { leader: from }, withinMs);
    return { done: isGood(reply), answer: reply.text };
  }

  /** Gives an order, and returns what Patroni answers, good or bad. */
  #order(method: "POST" | "PATCH", path: string, message: unknown, withinMs = patienceMs): Promise<Reply> {
    const { user, password } = this.#credentials ?? { user: "", password: "" };
    const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
    const body = JSON.stringify(message);
    const headers = {
      authorization,
      "content-type": "application/json",
      "content-length": String(Buffer.byteLength(body)),
    };
    return exchange({ method, url: new URL(path, this.#address), headers, body, withinMs });
  }

  async #ask<T>(path: string, schema: z.ZodType<T>, withinMs: number, isAnswer = isGood): Promise<T> {
    const reply = await exchange({ method: "GET", url: new URL(path, this.#address), withinMs });
    if (!isAnswer(reply)) throw new Error(`Patroni answered ${reply.status} to ${path}`);
    return schema.parse(JSON.parse(reply.text));
  }
}

/** Whether an answer is no refusal. */
const isGood = ({ status }: Reply): boolean => status >= 200 && status < 300;

/** What Patroni said to an order, for the log. */
const answerIn = (reply: Reply): string => (isGood(reply) ? reply.text : `${reply.status}: ${reply.text}`);
