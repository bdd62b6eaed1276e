// Two Databases of one namespace that would have a Service in common: the one that runs first has it, and the other one nothing.
import { sharedServices } from "../../components/naming";
import { placeOf, type Key } from "../domain/key";
import { stalled, type Outcome } from "../domain/outcome";
import type { Ports } from "../domain/ports";

/** What is asked about other Databases. */
export interface Others {
  /** Undefined where there is none of that key. */
  database(key: Key): unknown;
  /** Whether it may have children. */
  hasRun(key: Key): boolean | Promise<boolean>;
}

/** Why a Database that has no children yet may have none, for its author; undefined where no other one has the name of a Service. */
export async function rivalry(key: Key, others: Others): Promise<string | undefined> {
  for (const { rival, message } of rivalsOf(key)) {
    const isThere = (await others.database(rival)) !== undefined;
    if (isThere && (await others.hasRun(rival))) return message;
  }
  return undefined;
}

/** Lets a first run continue, unless a rival has run or runs: however close two come upon each other, one of them waits. */
export async function firstRun(
  key: Key,
  at: Pick<Ports, "world" | "records" | "firstRuns">,
  go: () => Promise<Outcome>,
): Promise<Outcome> {
  const running = rivalsOf(key).find(({ rival }) => at.firstRuns.has(rival));
  if (running !== undefined) return stalled("NameConflict", running.message);
  // from here on rivals find it there
  at.firstRuns.add(key);
  try {
    const message = await rivalry(key, {
      database: (other) => at.world.database(other),
      hasRun: async (other) => (await at.records.load(other)) !== undefined,
    });
    return message === undefined ? await go() : stalled("NameConflict", message);
  } finally {
    at.firstRuns.delete(key);
  }
}

function rivalsOf(key: Key): { readonly rival: Key; readonly message: string }[] {
  const { namespace, name } = placeOf(key);
  return sharedServices(name).map((shared) => ({
    rival: `${namespace}/${shared.name}`,
    message: `Service ${shared.service} belongs to Database ${shared.name} of this namespace: choose another name, or delete that Database first`,
  }));
}
