// Restore drills on a real node, begun by hand: what they find, and that they leave nothing.
import assert from "node:assert/strict";
import { z } from "zod";
import { readDatabase } from "./database";
import { eventually, minutes } from "./eventually";
import type { Kubectl } from "./kubectl";
import { volumePod } from "./volume-pod";

const Claims = z.array(
  z.object({
    metadata: z.object({ ownerReferences: z.array(z.object({ kind: z.string() })).default([]) }),
  }),
);
const Pods = z.array(z.object({ metadata: z.object({ name: z.string() }), status: z.object({ phase: z.string() }) }));
const Verified = z.object({
  status: z.object({
    lastVerifiedBackup: z.object({ name: z.string().optional(), label: z.string(), recoverySeconds: z.number() }),
  }),
});
const Job = z.looseObject({
  spec: z.looseObject({
    template: z.looseObject({
      spec: z.looseObject({ volumes: z.array(z.looseObject({ name: z.string() })) }),
    }),
  }),
});

/** The drills of one Database. */
export class Drills {
  readonly #kubectl: Kubectl;
  readonly #namespace: string;
  readonly #name: string;

  constructor(kubectl: Kubectl, [namespace, name]: readonly [namespace: string, name: string]) {
    this.#kubectl = kubectl;
    this.#namespace = namespace;
    this.#name = name;
  }

  /** Begins one. */
  async begin(job: string): Promise<void> {
    await this.#kubectl("create", "job", job, "-n", this.#namespace, this.#from);
  }

  /** Begins one whose volume has so many mebibytes. */
  async beginCramped(job: string, mebibytes: number): Promise<void> {
    const made = await this.#kubectl(
      ...["create", "job", job, "-n", this.#namespace, this.#from, "--dry-run=client", "-o", "json"],
    );
    const object = Job.parse(JSON.parse(made));
    const { spec } = object.spec.template;
    const cramped = { name: "data", emptyDir: { medium: "Memory", sizeLimit: `${mebibytes}Mi` } };
    spec.volumes = spec.volumes.map((volume) => (volume.name === "data" ? cramped : volume));
    await this.#kubectl.apply(object);
  }

  /** Waits for what one finds, removes its Job, and returns the message of the condition. */
  async found(job: string, status: string, reason: string): Promise<string> {
    const message = await eventually(async () => {
      const view = await readDatabase(this.#kubectl, this.#name, this.#namespace);
      const condition = view.status.conditions.find(({ type }) => type === "BackupVerified");
      assert.match(condition?.message ?? "", new RegExp(`Job ${job}\\b`));
      assert.deepEqual([condition?.status, condition?.reason], [status, reason], condition?.message);
      return condition?.message ?? "";
    }, minutes(5));
    await this.#kubectl("delete", "job", job, "-n", this.#namespace);
    return message;
  }

  /** Both. */
  async after(job: string, status: string, reason: string): Promise<string> {
    await this.begin(job);
    return this.found(job, status, reason);
  }

  /** Kills the pod of one as soon as there is one; `phase`: in which it must be by then. */
  async kill(job: string, phase?: "Running"): Promise<void> {
    const selector = `batch.kubernetes.io/job-name=${job}`;
    const pod = await eventually(async () => {
      const [found] = Pods.parse(await this.#kubectl.list("pods", { namespace: this.#namespace, selector }));
      assert.ok(found !== undefined && (phase === undefined || found.status.phase === phase));
      return found.metadata.name;
    }, minutes(2));
    await this.#kubectl("delete", "pod", pod, "-n", this.#namespace, "--force", "--grace-period=0", "--wait=false");
  }

  /** What the last one that passed says. */
  async verified(): Promise<z.infer<typeof Verified>["status"]["lastVerifiedBackup"]> {
    return Verified.parse(await this.#kubectl.find("database", this.#name, this.#namespace)).status.lastVerifiedBackup;
  }

  /** Until no claim of a pod is left. */
  untilNoVolume(): Promise<void> {
    return eventually(async () => {
      const claims = Claims.parse(await this.#kubectl.list("pvc", { namespace: this.#namespace }));
      const own = claims.filter(({ metadata }) => metadata.ownerReferences.some(({ kind }) => kind === "Pod"));
      assert.deepEqual(own, []);
    }, minutes(1));
  }

  get #from(): string {
    return `--from=cronjob/${this.#name}-verify`;
  }
}

const flipping = `
const { openSync, readSync, writeSync, fsyncSync, readdirSync, statSync } = require("node:fs");
const { join } = require("node:path");
const files = readdirSync(process.argv[1], { recursive: true }).sort().map((name) => join(process.argv[1], name));
const largest = files.filter((file) => statSync(file).isFile()).reduce((one, other) => (statSync(other).size > statSync(one).size ? other : one));
const [file, byte, at] = [openSync(largest, "r+"), Buffer.alloc(1), Math.floor(statSync(largest).size / 2)];
readSync(file, byte, 0, 1, at);
byte[0] ^= 1;
writeSync(file, byte, 0, 1, at);
fsyncSync(file);
`;

/** Which files of a Database's backup volume. */
export interface OfBackups {
  readonly namespace: string;
  readonly database: string;
  /** Of the Database: it has Node. */
  readonly image: string;
}

/** Flips a bit in the middle of the largest file below a path of the backup volume; twice makes it as it was. */
export const flipOnVolume = (kubectl: Kubectl, where: OfBackups, path: string): Promise<void> =>
  onBackupVolume(kubectl, where, ["node", "-e", flipping, `/backup/${path}`]);

/** Runs a program once in a pod that has the backup volume at `/backup`. */
export async function onBackupVolume(
  kubectl: Kubectl,
  { namespace, database, image }: OfBackups,
  command: readonly string[],
): Promise<void> {
  await kubectl.apply(volumePod({ namespace, name: "hand", image, command, claims: { backup: `${database}-backup` } }));
  const succeeded = "--for=jsonpath={.status.phase}=Succeeded";
  await kubectl("wait", "pod/hand", "-n", namespace, succeeded, "--timeout=120s");
  await kubectl("delete", "pod", "hand", "-n", namespace);
}
