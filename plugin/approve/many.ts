// `approve --all`: shows what waits for approval as a table, asks once, and approves each plan that was shown.
import pLimit from "p-limit";
import { effects, type Effect } from "../../contract/effects";
import { kinds } from "../cluster/paths";
import { listed } from "../cluster/read";
import { agreementTo } from "../command/agreement";
import type { Asked } from "../command/asked";
import { invocation } from "../command/name";
import { Trouble } from "../command/trouble";
import type { ExitCode } from "../command/verb";
import { ApiFailure, type Cluster, type World } from "../command/world";
import { databaseIn, type SeenDatabase } from "../objects/database";
import { shortened, type SeenPending } from "../objects/pending";
import { cell, table } from "../output/columns";
import { effectPaint } from "../output/effect";
import { paletteFor } from "../output/palette";
import { choiceOf, unreadText } from "./choice";
import { refusalOf } from "./refusal";
import { approve, whoAsks, type Approval } from "./request";

/** What no one approves without having named it. */
const guarded: readonly Effect[] = ["DataLoss", "CannotBeTold"];

/** As many requests as are made at a time. */
const atOnce = 4;

/** A Database of which a change waits for approval. */
interface Candidate {
  readonly approval: Approval;
  readonly pending: SeenPending;
  /** Why it is left out; undefined where it is not. */
  readonly left: string | undefined;
}

interface Errand {
  readonly asked: Asked;
  readonly world: World;
  readonly cluster: Cluster;
}

export async function approveMany(asked: Asked, world: World): Promise<ExitCode> {
  check(asked);
  const cluster = await world.open(asked.reach);
  const errand = { asked, world, cluster };
  const [databases, user] = await Promise.all([databasesIn(errand), whoAsks(cluster)]);
  const found = candidatesIn(databases, asked, user);
  const tried = asked.yes ? found : await all(found, (one) => withTrial(one, cluster));
  show(tried, errand);
  const unread = databases.filter(({ isPendingUnread }) => isPendingUnread);
  for (const { metadata } of unread) world.err(`${metadata.namespace}/${metadata.name}: not approved: ${unreadText}\n`);
  const chosen = tried.filter(({ left }) => left === undefined);
  if (chosen.length === 0) {
    world.err("nothing of it is to be approved\n");
    return 1;
  }
  if (!asked.yes && !(await agrees(chosen.length, errand))) {
    world.err("not approved; nothing was changed\n");
    return 1;
  }
  const code = told(await all(chosen, (one) => withApproval(one, cluster)), world);
  return code === 0 && unread.length > 0 ? 1 : code;
}

function check({ name, plan, effects: named }: Asked): void {
  if (name !== undefined) throw new Trouble("--all is of all Databases that wait: leave it out, or the name");
  if (plan !== undefined) throw new Trouble("--plan is of one Database: write its name instead of --all");
  const unknown = named.find((one) => !effects.some((effect) => effect === one));
  if (unknown !== undefined) throw new Trouble(`--effect is ${unknown}: write ${effects.join(", ")}`);
}

const all = <T, R>(many: readonly T[], doOne: (one: T) => Promise<R>): Promise<R[]> => pLimit(atOnce).map(many, doOne);

async function databasesIn({ asked, cluster }: Errand): Promise<readonly SeenDatabase[]> {
  const namespace = asked.allNamespaces ? undefined : (asked.namespace ?? cluster.namespace);
  const objects = await listed(cluster, kinds.databases, { namespace });
  return objects.flatMap((object) => databaseIn(object) ?? []);
}

function candidatesIn(
  databases: readonly SeenDatabase[],
  asked: Asked,
  user: string | undefined,
): readonly Candidate[] {
  const weightOf = ({ pending }: Candidate): number => effects.indexOf(pending.effect);
  return databases
    .flatMap((database) => candidateOf(database, asked, user))
    .sort((left, right) => weightOf(right) - weightOf(left));
}

function candidateOf(database: SeenDatabase, asked: Asked, user: string | undefined): Candidate[] {
  const choice = choiceOf(database, { plan: undefined, isNow: asked.now });
  if (choice.kind !== "approve") return [];
  const { pending } = choice;
  const { namespace, name } = database.metadata;
  const approval = { namespace, name, digest: pending.digest, isNow: asked.now, user };
  return [{ approval, pending, left: reasonToLeave(pending, asked) }];
}

/** As the operator calls a release of its own among the fields that change. */
const releasePath = "operator";

function reasonToLeave({ effect, changes }: SeenPending, { isRelease, effects: named }: Asked): string | undefined {
  if (isRelease && !(changes.length === 1 && changes[0]?.path === releasePath)) return "more than the release";
  const isNamed = named.some((one) => one === effect);
  if (named.length > 0 ? !isNamed : guarded.includes(effect)) return `not without --effect=${effect}`;
  return undefined;
}

/** Who may not approve it is told so before the question. */
async function withTrial(one: Candidate, cluster: Cluster): Promise<Candidate> {
  if (one.left !== undefined) return one;
  const refused = await refusalBy(cluster, one.approval, true);
  return { ...one, left: refused?.text };
}

interface Refused {
  readonly text: string;
  readonly isMoved: boolean;
}

/** Undefined where it was taken. */
async function refusalBy(cluster: Cluster, approval: Approval, isTrial: boolean): Promise<Refused | undefined> {
  try {
    await approve(cluster, approval, isTrial);
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiFailure) || error.status === 0) throw error;
    if (error.status === 404) return { text: "it was deleted meanwhile", isMoved: true };
    const { kind, text } = refusalOf(error, approval);
    return { text, isMoved: kind === "moved" };
  }
}

const headings = ["NAMESPACE", "NAME", "EFFECT", "CHANGES", "PLAN", "APPROVE"];

function show(candidates: readonly Candidate[], { asked, world }: Errand): void {
  const palette = paletteFor(asked.color, world);
  const rows = candidates.map(({ approval: { namespace, name }, pending, left }) => [
    ...[cell(namespace), cell(name), cell(pending.effect, effectPaint(pending.effect, palette))],
    ...[cell(changesText(pending)), cell(shortened(pending.digest)), cell(left === undefined ? "yes" : `no: ${left}`)],
  ]);
  const chosen = candidates.filter(({ left }) => left === undefined).length;
  const lines = candidates.length === 0 ? [] : [...table(headings, rows, true), ""];
  const total = `${candidates.length} wait for approval, ${chosen} to be approved`;
  world.out([...lines, total].map((line) => `${line}\n`).join(""));
}

const mostNamed = 2;

function changesText({ changes }: SeenPending): string {
  const named = changes.slice(0, mostNamed).map(({ path }) => path);
  const more = changes.length - named.length;
  return [...named, ...(more > 0 ? [`${more} more`] : [])].join(", ");
}

async function agrees(count: number, { asked, world }: Errand): Promise<boolean> {
  const agreement = await agreementTo(
    asked.now ? `Approve these ${count}, in any window or none?` : `Approve these ${count}?`,
    world,
  );
  if (agreement === undefined)
    throw new Trouble("approve asks first, and there is no terminal: nothing was changed", ["for scripts: --yes"]);
  return agreement;
}

interface Result {
  readonly approval: Approval;
  readonly refused: Refused | undefined;
}

const withApproval = async ({ approval }: Candidate, cluster: Cluster): Promise<Result> => ({
  approval,
  refused: await refusalBy(cluster, approval, false),
});

function told(results: readonly Result[], world: World): ExitCode {
  for (const { approval, refused } of results) {
    const place = `${approval.namespace}/${approval.name}`;
    if (refused === undefined) world.out(`${place}: the approval is on record\n`);
    else world.err(`${place}: not approved: ${refused.text}\n`);
  }
  const refused = results.flatMap((one) => one.refused ?? []);
  if (refused.length < results.length) world.out(`Next  ${invocation} fleet -A\n`);
  if (refused.some(({ isMoved }) => !isMoved)) return 2;
  return refused.length > 0 ? 1 : 0;
}
