// What the watch asks its own Patroni for.
import type { Cluster, OwnState, Turning } from "../patroni/answers";
import { answerIn, type PatroniClient } from "../patroni/client";
import type { Patroni } from "./ports";

/** See the header. */
export class OwnPatroni implements Patroni {
  constructor(private readonly client: PatroniClient) {}

  own(): Promise<OwnState> {
    return this.client.own();
  }

  turning(withinMs: number): Promise<Turning> {
    return this.client.turning(withinMs);
  }

  cluster(): Promise<Cluster> {
    return this.client.cluster();
  }

  /** A change of its configuration that changes nothing is all that makes Patroni look at once. */
  async wake(): Promise<void> {
    const { ttl } = await this.client.configuration();
    await this.client.order("PATCH", "/config", { ttl });
  }

  async restart(): Promise<string> {
    return answerIn(await this.client.order("POST", "/restart", {}));
  }

  async reinitialize(): Promise<string> {
    return answerIn(await this.client.order("POST", "/reinitialize", { force: true }));
  }
}
