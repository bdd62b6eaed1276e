// The crash matrix at work: one Database goes through all stages, is struck at one write of each, and must end up as one that never was.
import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { z } from "zod";
import { untilCounted } from "../harness/at-rest";
import { eventually } from "../harness/eventually";
import type { ApiRequest } from "../harness/fault-proxy/request";
import { makeNamespace, readSecret } from "../harness/kubectl";
import { sendSignal } from "../harness/signal";
import { assertSameObjects, operatorNamespace, pictureOf, stateOf, type Picture, type StateView } from "./picture";
import { actionAt, textOf, writesFor, type Point } from "./points";
import { findVictim, isRunning, processesIn } from "./processes";
import type { Rig } from "./rig";
import { ask, assertDone, stages, type Stage } from "./stages";

/** What an undisturbed run leaves after one stage. */
export interface Reference {
  readonly picture: Picture;
  readonly state: StateView | undefined;
  /** uids, by `Kind name`, that were the same before the stage. */
  readonly lasting: readonly string[];
  readonly writes: readonly ApiRequest[];
}

export type References = Readonly<Record<Stage, Reference>>;

const none: Picture = { objects: {}, uids: {}, secrets: {}, templates: 0 };

/** One Database on its way through the stages. */
export class Subject {
  readonly #rig: Rig;
  readonly namespace: string;
  #before: Picture = none;

  private constructor(rig: Rig, namespace: string) {
    this.#rig = rig;
    this.namespace = namespace;
  }

  static async make(rig: Rig, namespace: string): Promise<Subject> {
    return new Subject(rig, await makeNamespace(rig.kubectl, namespace));
  }

  /** Takes the stage undisturbed and returns what came of it. */
  async observe(stage: Stage): Promise<Reference> {
    const { proxy, kubectl } = this.#rig;
    proxy.forget();
    await ask(kubectl, stage, this.namespace);
    await this.#untilDone(stage);
    if (stage !== "delete") await untilCounted(kubectl, [this.namespace, "shop"]);
    const writes = proxy.seen.filter(({ isWrite }) => isWrite);
    const [before, picture] = [this.#before, await pictureOf(kubectl, this.namespace)];
    this.#before = picture;
    const lasting = Object.keys(picture.uids).filter((name) => picture.uids[name] === before.uids[name]);
    return { picture, state: await this.#state(), lasting, writes };
  }

  /** Takes the stage undisturbed, and throws where it does not end as `reference`. */
  async follow(stage: Stage, reference: Reference): Promise<void> {
    const before = this.#before;
    await ask(this.#rig.kubectl, stage, this.namespace);
    await this.#untilDone(stage);
    await eventually(async () => {
      await this.#assertSame(before, reference);
      assert.deepEqual(await this.#state(), reference.state);
    });
    await this.#assertSamePasswords(stage, before);
  }

  /** Takes the stage, struck at `point`, and throws where it does not end as `reference`. False where nothing was struck. */
  async endure(point: Point, reference: Reference): Promise<boolean> {
    const { proxy, kubectl } = this.#rig;
    let struck = point.target === "request";
    const strike = async (): Promise<void> => {
      struck = await kill(this.#rig, point);
    };
    const rule = proxy.rule({ ...writesFor(point.target), nth: point.nth }, actionAt(point, strike));
    try {
      await ask(kubectl, point.stage, this.namespace);
      await this.#untilDone(point.stage);
    } finally {
      rule.remove();
    }
    await this.#compare(point.stage, reference);
    return struck && rule.applied.length > 0;
  }

  /** Puts a successor in place of an operator that was killed. */
  async #untilDone(stage: Stage): Promise<void> {
    await eventually(
      async () => {
        if (!(await isRunning(this.#rig.operator.pid))) await this.#rig.startSuccessor();
        await assertDone(this.#rig.kubectl, stage, this.namespace);
      },
      { withinMs: 120_000, everyMs: 250 },
    );
  }

  async #compare(stage: Stage, reference: Reference): Promise<void> {
    const before = this.#before;
    const { workDirectory } = this.#rig.operator;
    await eventually(() => this.#assertSame(before, reference));
    await this.#assertSamePasswords(stage, before);
    assert.deepEqual(await this.#state(), reference.state);
    await eventually(async () => {
      assert.deepEqual(await processesIn(workDirectory), []);
      assert.deepEqual(await readdir(workDirectory), []);
      assert.deepEqual(await temporaryFiles(workDirectory), []);
    });
  }

  async #assertSame(before: Picture, { picture: then, lasting }: Reference): Promise<void> {
    const picture = await pictureOf(this.#rig.kubectl, this.namespace);
    assertSameObjects(picture, then);
    assert.equal(picture.templates, then.templates, "templates of the members' pods");
    this.#before = picture;
    for (const name of lasting) assert.equal(picture.uids[name], before.uids[name], `${name} is another one`);
  }

  async #assertSamePasswords(stage: Stage, before: Picture): Promise<void> {
    const secrets = stage === "create" ? await this.#recorded() : before.secrets;
    if (stage !== "delete") assert.deepEqual(this.#before.secrets, secrets, "the passwords are others");
  }

  async #state(): Promise<StateView | undefined> {
    const state = await stateOf(this.#rig.kubectl, `${this.namespace}.shop`);
    if (state === undefined) return undefined;
    const ids = state.ids.map((id) => id.replaceAll(this.namespace, "NAMESPACE"));
    // digest and size follow from the uid, and are another's
    return { ...state, ids, digest: state.digest === undefined ? undefined : "present", size: 0 };
  }

  /** The Secrets as they are, with the passwords replaced by those of record. */
  async #recorded(): Promise<Readonly<Record<string, unknown>>> {
    const { kubectl } = this.#rig;
    const kept = await readSecret(kubectl, `credentials.${this.namespace}.shop`, operatorNamespace);
    const projections = this.#before.secrets;
    const projected = Projected.parse(projections["Secret shop-credentials"]);
    return { ...projections, "Secret shop-credentials": { ...projected, password: kept["app"] } };
  }
}

/** What lies in the operator's own directory for temporary files, but for the cache of the compiler that tests start it with. */
async function temporaryFiles(workDirectory: string): Promise<string[]> {
  return (await readdir(`${workDirectory}.tmp`)).filter((name) => !name.startsWith("tsx-"));
}

const Projected = z.record(z.string(), z.string());

async function kill({ operator }: Rig, point: Point): Promise<boolean> {
  if (point.target === "request") return true;
  const pid = findVictim(operator.pid, point.target);
  if (pid === undefined) return false;
  // the operator's own end must be reported as one that was asked for
  if (pid === operator.pid) await operator.kill();
  else sendSignal(pid, "SIGKILL");
  await eventually(async () => {
    assert.ok(!(await isRunning(pid)), `${textOf(point)}: ${pid} does not end`);
  });
  return true;
}

/** What an undisturbed Database leaves after each stage. */
export async function takeReferences(rig: Rig, namespace: string): Promise<References> {
  const subject = await Subject.make(rig, namespace);
  const taken: Partial<Record<Stage, Reference>> = {};
  for (const stage of stages) taken[stage] = await subject.observe(stage);
  const { create, change, scale, delete: gone } = taken;
  if (!create || !change || !scale || !gone) throw new Error("unreachable: every stage was taken");
  return { create, change, scale, delete: gone };
}
