// A course of random edits of one Database: each is previewed and applied, and what became of the members is judged.
import { z } from "zod";
import { isChange, type Plan } from "../../operator/preview/plan";
import { database, readDatabase, untilBackedUp, untilDatabase, untilReady, assertCondition } from "../harness/database";
import { eventually, minutes, type Patience } from "../harness/eventually";
import { makeNamespace, type Kubectl } from "../harness/kubectl";
import { childrenOf } from "./children";
import { effectDifferences } from "./effects";
import { editOf, firstSpec, isImpossible, type Edit, type Spec } from "./edits";
import type { Grounds } from "./grounds";
import { problemsIn } from "./judge";
import { objectDifferences, observedChanges, type ChildState, type ObjectChange } from "./objects";
import { seenBetween } from "./seen";
import type { PodHistory, Sighting } from "./pod-history";
import { predictionOf } from "./prediction";
import type { Previews } from "./previews";
import { Random } from "./random";
import { withoutSecondStep } from "./second-step";

const Workload = z.object({ spec: z.object({ replicas: z.number() }) });

export interface CourseArgs {
  readonly kubectl: Kubectl;
  readonly previews: Previews;
  readonly history: PodHistory;
  readonly grounds: Grounds;
  /** ConfigMaps with parameters, by name. */
  readonly tuning: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly seed: number;
  readonly namespace: string;
  /** How long there may be no primary, in milliseconds, where another member can take over and where there is none. */
  readonly mostWithoutPrimary: { readonly several: number; readonly single: number };
  /** For an edit to be applied. */
  readonly patience: Patience;
}

/** How likely it is that the next edit comes before the one before is applied. */
const twoAtOnce = 0.25;
const name = "shop";

/** See the header. */
export class Course {
  readonly #args: CourseArgs;
  readonly #random: Random;
  #spec: Spec;
  /** How many edits were made. */
  edits = 0;
  /** Until when the history has been judged, in milliseconds since 1970. */
  #judged = 0;
  /** The objects at that moment. */
  #children: readonly ChildState[] = [];
  /** The names of the members at that moment. */
  #members: readonly string[] = [];

  constructor(args: CourseArgs) {
    this.#args = args;
    this.#random = new Random(args.seed);
    this.#spec = firstSpec(args.grounds);
  }

  /** Creates the Database. */
  async begin(): Promise<void> {
    const { kubectl, namespace, tuning, patience } = this.#args;
    await makeNamespace(kubectl, namespace);
    for (const [map, data] of Object.entries(tuning))
      await kubectl.apply({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: map, namespace }, data });
    await kubectl.apply(this.#object(this.#spec));
    await untilReady(kubectl, this.#place, patience);
    await untilBackedUp(kubectl, this.#place, minutes(2));
    this.#judged = Date.now();
    this.#children = await childrenOf(kubectl, ...this.#place);
    this.#members = this.#pods().map((pod) => pod.name);
  }

  /** One edit, or two at once; returns what was wrong, for people. */
  async step(): Promise<string[]> {
    const edits = this.#nextEdits();
    const before = this.#spec;
    const plans: Plan[] = [];
    for (const { spec } of edits) plans.push(await this.#args.previews.of(this.#object(spec)));
    for (const { spec } of edits) await this.#args.kubectl.apply(this.#object(spec));
    this.#spec = edits.at(-1)?.spec ?? before;
    this.edits += edits.length;
    const told = this.#told(edits, before, plans);
    console.log(new Date().toISOString().slice(11, 19), told.split("\n", 1)[0]);
    try {
      await this.#untilCarriedOut();
    } catch (error) {
      throw new Error(`${told}\nis not applied: ${error instanceof Error ? error.message : String(error)}`, {
        cause: error,
      });
    }
    const problems = [
      ...this.#judge(before, edits, plans),
      ...(await this.#judgeObjects(plans)),
      ...(await this.#leftOver()),
    ];
    return problems.length === 0 ? [] : [`${told}\n${problems.map((problem) => `  ! ${problem}`).join("\n")}`];
  }

  get #place(): readonly [string, string] {
    return [this.#args.namespace, name];
  }

  #object(spec: Spec): unknown {
    return database(name, this.#args.namespace, spec);
  }

  #nextEdits(): Edit[] {
    const first = editOf(this.#spec, this.#random, this.#args.grounds);
    if (!this.#random.happens(twoAtOnce)) return [first];
    return [first, editOf(first.spec, this.#random, this.#args.grounds)];
  }

  #judge(before: Spec, edits: readonly Edit[], plans: readonly Plan[]): string[] {
    const { history, namespace, mostWithoutPrimary } = this.#args;
    const lasting = Math.min(...[before, ...edits.map(({ spec }) => spec)].map(({ replicas = 3 }) => replicas));
    const [from, to] = [this.#judged, Date.now()];
    const sightings = history.of(`${namespace}/${name}`);
    const problems = problemsIn(sightings, {
      ...{ from, to, lasting, predictions: plans.map(predictionOf) },
      mostWithoutPrimary: lasting > 1 ? mostWithoutPrimary.several : mostWithoutPrimary.single,
    });
    this.#judged = to;
    return problems.length === 0 ? [] : [...problems, ...seenBetween(sightings, { from, to })];
  }

  /** Which objects became others, and in which fields; and what else that did. */
  async #judgeObjects(plans: readonly Plan[]): Promise<string[]> {
    const before = this.#children;
    this.#children = await childrenOf(this.#args.kubectl, ...this.#place);
    const isAgain = plans.some((plan) => predictionOf(plan).again === true);
    const compared = (change: ObjectChange): ObjectChange | undefined =>
      isAgain ? withoutSecondStep(change, name) : change;
    const withLater = observedChanges(before, this.#children);
    const objects = withLater.flatMap((change) => compared(change) ?? []);
    const [only, ...more] = plans;
    const isOne = only !== undefined && more.length === 0;
    const members = { before: this.#members, after: this.#pods().map((pod) => pod.name) };
    this.#members = members.after;
    return [
      ...objectDifferences(plans, withLater, compared),
      // which of two edits led to what, the world does not show
      ...(isOne ? effectDifferences(only, { name, objects, withLater, ...members }) : []),
    ];
  }

  /** What a preview of the same once more says: nothing. */
  async #leftOver(): Promise<string[]> {
    const plan = await this.#args.previews.of(this.#object(this.#spec));
    return isChange(plan) && !plan.isHeld
      ? [
          `afterwards the same would change something again: ${JSON.stringify(plan.steps.filter(({ operation }) => operation !== "same"))}`,
        ]
      : [];
  }

  async #untilCarriedOut(): Promise<void> {
    const { kubectl, patience, grounds, namespace } = this.#args;
    if (this.#spec.paused === true) {
      await untilDatabase(
        kubectl,
        this.#place,
        (view) => {
          assertCondition("it", view, { type: "Stalled", status: "False", reason: "Paused" });
        },
        patience,
      );
      return this.#untilWhole();
    }
    if (isImpossible(this.#spec, grounds)) return this.#untilHeld();
    await untilReady(kubectl, this.#place, patience);
    // the history has a watch of its own
    await eventually(async () => {
      const { spec, status } = await readDatabase(kubectl, name, namespace);
      const pods = this.#pods();
      const primaries = pods.filter(({ role }) => role === "primary").map((pod) => pod.name);
      if (pods.length !== spec.replicas || primaries.join() !== status.primary)
        throw new Error(
          `${pods.length} of ${spec.replicas} pods are seen, ${primaries.join()} as primary, not ${status.primary}`,
        );
    });
  }

  /** The pods that there are, as they were seen last. */
  #pods(): readonly Sighting[] {
    const { history, namespace } = this.#args;
    const last = new Map(history.of(`${namespace}/${name}`).map((sighting) => [sighting.uid, sighting]));
    return [...last.values()].filter(({ isGone }) => !isGone);
  }

  /** A pause ends nothing that has begun: the member that was restarting when it came is back. */
  async #untilWhole(): Promise<void> {
    const { kubectl, namespace } = this.#args;
    await eventually(async () => {
      const { spec } = Workload.parse(await kubectl.find("statefulset", name, namespace));
      const pods = this.#pods();
      const serving = pods.filter(({ isReady, isEnding, role }) => isReady && !isEnding && role !== "");
      if (serving.length !== spec.replicas || pods.length !== spec.replicas)
        throw new Error(`${serving.length} of ${spec.replicas} pods serve`);
    });
  }

  /** Nothing is in progress any more, but that nodes have no room. */
  async #untilHeld(): Promise<void> {
    const { kubectl, patience } = this.#args;
    await untilDatabase(
      kubectl,
      this.#place,
      ({ metadata, status }) => {
        const said = status.conditions.find(({ type }) => type === "Reconciling");
        if (said?.observedGeneration === metadata.generation && /no node has|does not come back/.test(said.message))
          return;
        throw new Error(`it does not wait for room: ${JSON.stringify(status.conditions)}`);
      },
      patience,
    );
  }

  #told(edits: readonly Edit[], before: Spec, plans: readonly Plan[]): string {
    const { namespace, seed } = this.#args;
    const what = edits.map(({ field, spec }) => `${field} ${JSON.stringify(spec)}`);
    const last = this.edits - edits.length + 1;
    return [
      `${namespace}, seed ${seed}, edit ${last}${edits.length > 1 ? ` and ${this.edits}` : ""}: ${edits.map(({ field }) => field).join(" and at once ")}`,
      `  before: ${JSON.stringify(before)}`,
      ...what.map((text) => `  after: ${text}`),
      ...plans.map(
        ({ consequences, notes }) =>
          `  predicted: ${[...notes, ...consequences.map(({ message }) => message)].join("; ")}`,
      ),
    ].join("\n");
  }
}
