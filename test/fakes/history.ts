// A cluster as the history of one Database sees it, and its controller at work there.
import { mostRevisions } from "../../operator/api/revisions/limits";
import type { DatabaseRevision } from "../../operator/api/revisions/object";
import type { RevisionStatus } from "../../operator/api/revisions/status";
import type { Observation } from "../../operator/domain/members";
import { ObservedDatabase } from "../../operator/domain/observed-database";
import { settled, type Outcome } from "../../operator/domain/outcome";
import type { Revision } from "../../operator/domain/records";
import { createHistoryController } from "../../operator/history/controller";
import type { NewRevision } from "../../operator/history/ports";
import { databaseObject, memberOf } from "./ports";

const key = "team/shop";

export const entry = (revision: number, some: Partial<Revision> = {}): Revision => ({
  ...{ revision, at: `2026-11-27T14:0${revision % 10}:00.000Z`, seconds: 1.4, digest: `d${revision}` },
  ...{ summary: "1 updated", by: "kubectl", generation: revision },
  told: { origin: "Spec", changes: [], template: { engine: "postgresql", replicas: revision } },
  ...some,
});

/** An API server of one Database, with a watch that may lag. */
export class HistoryCluster {
  stored: DatabaseRevision[] = [];
  shown: DatabaseRevision[] | undefined = [];
  lags = false;
  /** Whether successive creations are answered; those that are not may have arrived. */
  answers: boolean[] = [];
  /** Whether any can be made. */
  takes = true;
  history: Revision[] = [];
  outcome: Outcome | undefined = settled();
  isAtWork = false;
  database: ObservedDatabase | undefined = new ObservedDatabase(databaseObject());
  observation: Observation = {
    workload: { uid: "w", generation: 1, wanted: 2, seen: true, revision: "new" },
    members: [memberOf("shop-0", { role: "primary" }), memberOf("shop-1")],
    jobs: [],
  };
  now = new Date("2026-11-27T14:10:00Z");
  writes = 0;
  readonly errors: unknown[] = [];
  #version = 1;

  /** Another operator: it knows nothing but what there is. */
  start(): () => Promise<string> {
    const work = createHistoryController(
      {
        revisions: () => this.shown,
        database: () => this.database,
        observe: () => this.observation,
        record: () => ({ uid: "uid-1", history: this.history }),
        outcome: () => this.outcome,
        isAtWork: () => this.isAtWork,
        now: () => this.now,
        writes: {
          create: (made) => (this.takes ? this.#create(made) : Promise.resolve(false)),
          remove: ({ metadata }) => {
            this.#change(this.stored.filter((one) => one.metadata.name !== metadata.name));
            return Promise.resolve();
          },
          writeStatus: ({ metadata }, after) => {
            const found = this.stored.find((one) => one.metadata.name === metadata.name);
            if (found === undefined) return Promise.resolve(undefined);
            const version = String(++this.#version);
            const status = after(found.status);
            const written = { ...found, status, metadata: { ...found.metadata, resourceVersion: version } };
            this.#change(this.stored.map((one) => (one === found ? written : one)));
            return Promise.resolve({ version, status });
          },
        },
      },
      { onError: (_key, error) => void this.errors.push(error) },
    );
    return async () => (await work(key)).kind;
  }

  #create({ namespace, name, owner, spec }: NewRevision): Promise<boolean> {
    const [answers = true, ...rest] = this.answers;
    this.answers = rest;
    if (!this.stored.some(({ metadata }) => metadata.name === name)) {
      const metadata = {
        name,
        namespace,
        uid: `uid of ${name}`,
        resourceVersion: String(++this.#version),
        creationTimestamp: "",
      };
      this.#change([
        ...this.stored,
        { metadata: { ...metadata, ownerReferences: [] }, owner: owner.uid, spec, status: {} },
      ]);
    }
    return answers ? Promise.resolve(true) : Promise.reject(new Error("the connection broke"));
  }

  #change(stored: DatabaseRevision[]): void {
    this.writes++;
    this.stored = stored;
    if (!this.lags && this.shown !== undefined) this.shown = stored;
  }

  numbers(): number[] {
    return this.stored.map(({ spec }) => spec.revision);
  }

  status(revision: number): RevisionStatus | undefined {
    return this.stored.find(({ spec }) => spec.revision === revision)?.status;
  }
}

/** A cluster after so many changes, each with its turns. */
export async function after(
  changes: number,
): Promise<{ readonly cluster: HistoryCluster; readonly turn: () => Promise<string> }> {
  const cluster = new HistoryCluster();
  const turn = cluster.start();
  for (let revision = 1; revision <= changes; revision++) {
    cluster.history = [entry(revision), ...cluster.history].slice(0, mostRevisions);
    for (let turns = 0; turns < 3; turns++) await turn();
  }
  return { cluster, turn };
}
