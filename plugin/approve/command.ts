// `approve`: shows the change that waits, asks, and writes the approval of that very plan into the Database.
import { setTimeout as sleep } from "node:timers/promises";
import { changesOf } from "../cluster/changes";
import { collectionOf, kinds } from "../cluster/paths";
import { databaseIfAny, databaseNamed, noSuch } from "../cluster/read";
import { agreementTo } from "../command/agreement";
import type { Asked } from "../command/asked";
import { invocation } from "../command/name";
import { Trouble } from "../command/trouble";
import type { ExitCode } from "../command/verb";
import { ApiFailure, isFailure, type Cluster, type World } from "../command/world";
import { aDatabase, databaseIfThere, type SeenDatabase } from "../objects/database";
import type { SeenPending } from "../objects/pending";
import { paletteFor } from "../output/palette";
import { pendingLines } from "../output/pending";
import { timeoutOf } from "../output/amounts";
import { checkPlan, choiceOf, type ApprovalWish } from "./choice";
import { approveMany } from "./many";
import { refusalOf } from "./refusal";
import { approve, whoAsks, type Approval } from "./request";
import { unansweredBy, verdictOf, type Made, type Verdict } from "./verdict";

/** What every step needs. */
interface Errand {
  readonly world: World;
  readonly cluster: Cluster;
  readonly namespace: string;
  readonly name: string;
  readonly asked: Asked;
}

const defaultTimeout = "10s";

export async function run(asked: Asked, world: World): Promise<ExitCode> {
  if (asked.all) return approveMany(asked, world);
  if (asked.name === undefined || asked.isRelease || asked.effects.length > 0)
    throw new Trouble("approve needs a name, or --all", [`${invocation} status lists what there is`]);
  const wish = wishOf(asked);
  const cluster = await world.open(asked.reach);
  const errand = { world, cluster, asked, namespace: asked.namespace ?? cluster.namespace, name: asked.name };
  const choice = choiceOf(aDatabase(await databaseNamed(cluster, errand.namespace, errand.name)), wish);
  switch (choice.kind) {
    case "no":
      return said(errand, { isApproved: false, text: choice.text });
    case "done":
      return said(errand, { isApproved: true, text: choice.text });
    case "approve":
      return approved(errand, choice.pending, wish.isNow);
  }
}

function wishOf({ plan, now, timeout = defaultTimeout }: Asked): ApprovalWish {
  checkPlan(plan);
  if (timeoutOf(timeout) === undefined) throw new Trouble(`--timeout is ${timeout}: write for example 10s or 1m`);
  return { plan, isNow: now };
}

/** What has become of it, and what to do next. */
function said({ world, namespace, name }: Errand, { isApproved, text }: Verdict): ExitCode {
  const line = `${namespace}/${name}: ${text}\n`;
  if (isApproved) world.out(`${line}Next  ${invocation} wait ${name} -n ${namespace}\n`);
  else world.err(line);
  return isApproved ? 0 : 1;
}

async function approved(errand: Errand, pending: SeenPending, isNow: boolean): Promise<ExitCode> {
  const { cluster, namespace, name, asked } = errand;
  show(errand, pending);
  const approval = { namespace, name, digest: pending.digest, isNow, user: await whoAsks(cluster) };
  if (!asked.yes) {
    // who may not approve it is told so before the question
    const refused = await written(errand, approval, true);
    if (refused !== undefined) return said(errand, refused);
    if (!(await agrees(errand))) return said(errand, { isApproved: false, text: "not approved; nothing was changed" });
  }
  const refused = await written(errand, approval, false);
  return said(errand, refused ?? (await answered(errand, { pending, user: approval.user })));
}

function show({ world, asked, namespace, name }: Errand, pending: SeenPending): void {
  const palette = paletteFor(asked.color, world);
  const [first = "", ...rest] = pendingLines(pending, { palette, now: world.now() });
  const lines = [
    `${palette.bold(`${namespace}/${name}`)}   a change waits ${first}`,
    ...rest.map((line) => `  ${line}`),
  ];
  world.out(lines.map((line) => `${line}\n`).join(""));
}

async function agrees({ world, asked }: Errand): Promise<boolean> {
  const agreement = await agreementTo(asked.now ? "Approve it, in any window or none?" : "Approve it?", world);
  if (agreement === undefined)
    throw new Trouble("approve asks first, and there is no terminal: nothing was changed", [
      "for scripts: --yes, with --plan DIGEST for the plan that was looked at",
    ]);
  return agreement;
}

/** Undefined where it was taken. */
async function written(errand: Errand, approval: Approval, isTrial: boolean): Promise<Verdict | undefined> {
  const { cluster, namespace, name } = errand;
  try {
    await approve(cluster, approval, isTrial);
    return undefined;
  } catch (error) {
    if (isFailure(error, 404)) throw await noSuch(cluster, namespace, name);
    if (!(error instanceof ApiFailure) || error.status === 0) throw error;
    const refusal = refusalOf(error, { namespace, name, user: approval.user });
    if (refusal.kind === "moved") return { isApproved: false, text: `not approved: ${refusal.text}` };
    throw new Trouble(refusal.text, refusal.kind === "denied" ? refusal.hints : []);
  }
}

/** What the operator says of it, as soon as it does. */
async function answered({ cluster, namespace, name, asked }: Errand, made: Made): Promise<Verdict> {
  const time = asked.timeout ?? defaultTimeout;
  const signal = AbortSignal.timeout(timeoutOf(time) ?? 0);
  for await (const database of versions(cluster, { namespace, name }, signal)) {
    const verdict = verdictOf(made.pending, database);
    if (verdict !== undefined) return verdict;
  }
  return unansweredBy(made, time);
}

/** Between two watches, in milliseconds. */
const pauseMs = 500;

/** The Database as it is, and as it becomes; undefined where there is none. Ends when `signal` aborts. */
async function* versions(
  cluster: Cluster,
  { namespace, name }: Pick<Errand, "namespace" | "name">,
  signal: AbortSignal,
): AsyncGenerator<SeenDatabase | undefined, void> {
  const query = { fieldSelector: `metadata.name=${name}` };
  do {
    yield databaseIfThere(await databaseIfAny(cluster, namespace, name));
    for await (const { object, isGone } of changesOf(cluster, collectionOf(kinds.databases, namespace), query, signal))
      yield isGone ? undefined : aDatabase(object);
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
  } while (!signal.aborted);
}
