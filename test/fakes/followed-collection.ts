// A reflector of a scripted collection, and what tests of it put in and read off.
import type { TestContext } from "node:test";
import { Reflector, type ReflectorOptions } from "../../operator/kube/reflector";
import { settle } from "./manual-clock";
import { ScriptedCollection } from "./scripted-collection";

/** What the collection has. */
export interface Thing {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
  readonly value: number;
}

export const thing = (name: string, value: number, version = 1): Thing => ({
  metadata: { name, resourceVersion: String(version) },
  value,
});
export const page = (version: number, items: readonly Thing[] = [], next = ""): unknown => ({
  metadata: { resourceVersion: String(version), continue: next },
  items,
});
export const event = (type: string, object: unknown): unknown => ({ type, object });
export const bookmark = (version: number): unknown =>
  event("BOOKMARK", { metadata: { resourceVersion: String(version) } });
export const failure = (code: number, reason: string): unknown => event("ERROR", { code, reason, message: reason });

/** A reflector of a scripted collection, and all that it has reported. */
export interface Followed {
  readonly collection: ScriptedCollection;
  readonly reflector: Reflector<number>;
  /** `name before>after`. */
  readonly changes: string[];
  readonly problems: string[];
  /** What it keeps. */
  readonly kept: () => Readonly<Record<string, number>>;
  /** Lets time pass, and all that follows from it. */
  readonly pass: (ms: number) => Promise<void>;
}

/** Pauses are as long as they may be, and time passes when the test says so. */
export async function follow(t: TestContext, options: Partial<ReflectorOptions<number>> = {}): Promise<Followed> {
  t.mock.method(Math, "random", () => 0);
  t.mock.timers.enable({ apis: ["setTimeout", "Date"] });
  const collection = new ScriptedCollection();
  const [changes, problems] = [new Array<string>(), new Array<string>()];
  const reflector = new Reflector<number>({
    client: collection,
    path: "/things",
    parse: (object) => (object as Thing).value,
    onChange: (key, after, before) => changes.push(`${key} ${before ?? ""}>${after ?? ""}`),
    onProblem: (cause) => problems.push(String(cause)),
    ...options,
  });
  void reflector.start();
  t.after(() => reflector.stop());
  await settle();
  const kept = (): Record<string, number> =>
    Object.fromEntries([...reflector.keys()].map((key) => [key, reflector.get(key) ?? NaN]));
  const pass = async (ms: number): Promise<void> => {
    t.mock.timers.tick(ms);
    await settle();
  };
  return { collection, reflector, changes, problems, kept, pass };
}

/** The same after a first list with `a` and `b` at version 7, in its watch. */
export async function followList(t: TestContext, options: Parameters<typeof follow>[1] = {}): Promise<Followed> {
  const followed = await follow(t, options);
  followed.collection.list.answer(page(7, [thing("a", 1), thing("b", 2)]));
  await settle();
  followed.changes.length = 0;
  followed.collection.asked.length = 0;
  return followed;
}
