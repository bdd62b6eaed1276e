// `reject`: takes the approval of a change that waits back, for as long as the change has not begun.
import { checkPlan } from "../approve/choice";
import { refusalOf } from "../approve/refusal";
import { mostWithdrawals, whoAsks, withdraw } from "../approve/request";
import { databaseNamed, noSuch } from "../cluster/read";
import type { Asked } from "../command/asked";
import { invocation } from "../command/name";
import { Trouble } from "../command/trouble";
import type { ExitCode } from "../command/verb";
import { ApiFailure, isFailure, type Cluster, type World } from "../command/world";
import { aDatabase } from "../objects/database";
import { shortened } from "../objects/pending";
import { rejectionOf } from "./choice";

interface Place {
  readonly namespace: string;
  readonly name: string;
}

export async function run(asked: Asked, world: World): Promise<ExitCode> {
  checkPlan(asked.plan);
  const cluster = await world.open(asked.reach);
  const place = { namespace: asked.namespace ?? cluster.namespace, name: asked.name ?? "" };
  const ended = await rejected(cluster, place, asked.plan).catch(async (error: unknown) => {
    throw await plainly(error, cluster, place);
  });
  const line = `${place.namespace}/${place.name}: ${ended.text}\n`;
  if (ended.isRejected) world.out(`${line}Next  ${invocation} status ${place.name} -n ${place.namespace}\n`);
  else world.err(line);
  return ended.isRejected ? 0 : 1;
}

interface Ended {
  readonly isRejected: boolean;
  readonly text: string;
}

/** The Database is looked at again where it has changed meanwhile: the change may have begun. */
async function rejected(cluster: Cluster, place: Place, plan: string | undefined): Promise<Ended> {
  for (let attempt = 1; ; attempt++) {
    const database = aDatabase(await databaseNamed(cluster, place.namespace, place.name));
    const found = rejectionOf(database, plan);
    if (found.kind !== "withdraw") return { isRejected: found.kind === "done", text: found.text };
    const conflict = await withdraw(cluster, { ...place, resourceVersion: database.metadata.resourceVersion });
    const plans = found.digests.map(shortened).join(" and ");
    if (conflict === undefined)
      return { isRejected: true, text: `the approval of plan ${plans} is taken back: nothing is carried out by it` };
    if (attempt === mostWithdrawals) throw conflict;
  }
}

async function plainly(error: unknown, cluster: Cluster, { namespace, name }: Place): Promise<unknown> {
  if (!(error instanceof ApiFailure) || error.status === 0) return error;
  if (isFailure(error, 404)) return noSuch(cluster, namespace, name);
  const refusal = refusalOf(error, { namespace, name, user: await whoAsks(cluster) });
  return new Trouble(refusal.text, refusal.kind === "denied" ? refusal.hints : []);
}
