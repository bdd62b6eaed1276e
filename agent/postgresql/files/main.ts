// The program before Patroni in a member, where files or a note of an exchange are there that it must judge: it ends once the server may start.
import { rename } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { syncToDisk } from "../../disk";
import { required, requiredNumber } from "../../environment";
import { KubernetesClient } from "../../kubernetes/client";
import { PodNotes } from "../../kubernetes/pod-notes";
import { logOf, type Log } from "../log";
import { textOf } from "../../log";
import { majorOf, majorOfServer } from "../restore/files";
import { memberSettings } from "../settings";
import { checkpointOf, identifierOf, keptAt, lookAt, placesOn, type Places } from "../upgrade/volume";
import { ClusterRecord, recordPathsOf } from "./cluster-record";
import { stepOf, type FilesFound, type FilesStep } from "./decide";

const pauseMs = 1_000;

/** Runs the program. */
export async function judgeFiles(): Promise<void> {
  process.title = "postgresql-files";
  const { self, database, namespace, dataDirectory } = memberSettings();
  const client = new KubernetesClient({
    host: required("KUBERNETES_SERVICE_HOST"),
    port: requiredNumber("KUBERNETES_SERVICE_PORT"),
  });
  const cluster = new ClusterRecord(client, recordPathsOf(namespace, database));
  const notes = new PodNotes(client, namespace, self);
  const log = logOf("files");
  const server = await majorOfServer();
  await untilMayStart({ self, places: placesOn(dataDirectory), server, cluster, notes, log });
}

/** What it needs. */
export interface FilesArgs {
  /** Name of the member. */
  readonly self: string;
  readonly places: Places;
  readonly server: string;
  readonly cluster: Pick<ClusterRecord, "initialized" | "hasLeader" | "replace">;
  readonly notes: Pick<PodNotes, "write">;
  readonly log: Log;
  /** Between two looks. Default: a second. */
  readonly pause?: () => Promise<unknown>;
}

/** Looks, and does what is to be done, until the server may start. Where the API does not answer it waits, as Patroni would. */
export async function untilMayStart(args: FilesArgs): Promise<void> {
  const { pause = () => delay(pauseMs), log } = args;
  let said = "";
  for (;;) {
    try {
      const step = stepOf(await look(args));
      if (step.kind === "start") return;
      const why = step.kind === "wait" ? step.why : "";
      if (why !== said) log(why);
      said = why;
      await take(step, args);
      if (step.kind === "wait") await pause();
    } catch (error) {
      const why = textOf(error);
      if (why !== said) log(why);
      said = why;
      await pause();
    }
  }
}

async function look({ places, server, cluster }: FilesArgs): Promise<FilesFound> {
  const found = await lookAt(places);
  const filesAt = async (path: string, major: string): Promise<{ major: string; identifier: string }> => ({
    major,
    identifier: await identifierOf(path),
  });
  const kept = found.kept.map((major) => filesAt(keptAt(places.data, major), major));
  return {
    server,
    data: found.data === undefined ? undefined : await filesAt(places.data, found.data),
    kept: await Promise.all(kept),
    exchange: found.exchange,
    initialized: await cluster.initialized(),
    hasLeader: await cluster.hasLeader(),
  };
}

async function take(step: Exclude<FilesStep, { kind: "start" }>, args: FilesArgs): Promise<void> {
  const { self, places, cluster, notes, log } = args;
  switch (step.kind) {
    case "wait":
      await notes.write({ role: undefined, state: "undecided", message: step.why });
      return;
    case "announce":
      if (
        await cluster.replace(step.former, step.present, { member: self, checkpoint: await checkpointOf(places.data) })
      )
        log(`the cluster that counts is ${step.present} from now on, in place of ${step.former}`);
      return;
    case "move aside":
      if ((await majorOf(places.data)) !== undefined) await move(places.data, keptAt(places.data, step.major), args);
      if (step.takesUp !== undefined) await move(keptAt(places.data, step.takesUp), places.data, args);
  }
}

async function move(from: string, to: string, { places, log }: FilesArgs): Promise<void> {
  await rename(from, to);
  await syncToDisk(places.volume);
  log(`${from} is ${to} now`);
}
