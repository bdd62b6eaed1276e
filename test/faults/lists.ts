// Lists that the operator must request again: as they are, as they were, or without an answer.
import assert from "node:assert/strict";
import { collection, resources } from "../../operator/kube/paths";
import { eventually, minutes } from "../harness/eventually";
import type { Rule } from "../harness/fault-proxy";
import type { Rig } from "./rig";

/** Waits until every collection that the operator watches was listed under the rule. */
export async function untilListed(rule: Rule): Promise<void> {
  await eventually(() => {
    const listed = new Set(rule.applied.map(({ path }) => path));
    assert.ok(listed.size >= 6 && listed.has(collection(resources.databases)), [...listed].join(" "));
  }, minutes(1));
}

/** Has the operator list everything again, and waits until it has these; default: the Databases. */
export async function untilRelisted(
  { proxy }: Rig,
  paths: readonly string[] = [collection(resources.databases)],
): Promise<void> {
  const before = paths.map((path) => ({ path, lists: proxy.lists(path).length }));
  proxy.watches.expire();
  await eventually(() => {
    for (const { path, lists } of before) assert.ok(proxy.lists(path).length > lists, `${path} was not listed again`);
  }, minutes(1));
}

/** Has the operator list each path again, and answers with the text of before. */
export async function relistAs({ proxy }: Rig, lists: ReadonlyMap<string, string>): Promise<void> {
  const rules = [...lists].map(([path, body]) => {
    const match = { by: "operator", verb: "list", path: new RegExp(`^${path}$`), nth: 1 } as const;
    return proxy.rule(match, { kind: "replay", body });
  });
  proxy.watches.expire();
  await eventually(() => {
    for (const rule of rules) assert.equal(rule.applied.length, 1);
  }, minutes(1));
}

/** Waits until so many more watches or lists of the Databases did not come off. */
export async function untilMissed({ operator }: Rig, times: number): Promise<void> {
  const missed = (): number =>
    operator.log.filter(({ msg, kind }) => msg === "watch interrupted" && kind === "databases").length;
  const before = missed();
  await eventually(() => {
    assert.ok(missed() >= before + times, `missed ${missed() - before} times`);
  }, minutes(3));
}
