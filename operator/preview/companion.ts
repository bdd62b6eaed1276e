// A companion in a preview: what becomes of its Database, by the operator's own code, which asks kubectl for what it would write.
import { companionFieldManager } from "../../components/naming";
import { metadataOf } from "../api/object";
import { ownDatabase } from "../companions/own-database";
import { companionKeyOf, type ApplyResult } from "../companions/ports";
import { Recollection } from "../companions/recollection";
import { translators } from "../companions/translation";
import { ownersOf } from "../companions/written";
import type { Cluster } from "./cluster";
import { wouldApply } from "./kubectl";
import type { Previewed } from "./plan";

/** The Database as it would be, or is; or what is said where there is none to continue with. */
export type Followed =
  { readonly kind: "database"; readonly object: unknown } | Extract<Previewed, { kind: "stalled" | "skipped" }>;

/** The Database that the companion `object`, as it is after an apply, leads to. */
export async function followApply(plural: string, object: unknown, cluster: Cluster): Promise<Followed> {
  const { namespace, name } = metadataOf(object);
  const database = `${namespace}/${name}`;
  const translator = translators.find(({ kind }) => kind.plural === plural);
  if (translator === undefined) return { kind: "skipped", message: `${plural} ${name}: not translated, skipped` };
  const present = await cluster.database(database);
  const found = await ownDatabase({
    ...{ key: companionKeyOf(database, translator.kind), object, translator, recollection: new Recollection() },
    at: {
      companion: () => object,
      database: () => present,
      catalogue: cluster.world.catalogue,
      writes: {
        find: () => Promise.resolve(present),
        apply: async (body): Promise<ApplyResult> => {
          const answer = await wouldApply(JSON.stringify(body), companionFieldManager);
          if (answer.kind === "object") return { kind: "done", database: answer.object };
          return { kind: "refused", message: answer.kind === "refused" ? answer.message : "no answer", lasting: true };
        },
        writeStatus: () => Promise.resolve(undefined),
        forget: () => undefined,
      },
      now: () => new Date(),
    },
  });
  const { outcome } = found;
  if (outcome.kind === "settled" && found.database !== undefined) return { kind: "database", object: found.database };
  const reason = "reason" in outcome ? outcome.reason : outcome.kind;
  const message = ("message" in outcome ? outcome.message : undefined) ?? "there is no Database to continue with";
  return { kind: "stalled", database, asked: [], reason, message };
}

/** The Database that goes with the companion `object`. */
export async function followDeletion(object: unknown, cluster: Cluster): Promise<Followed> {
  const { namespace, name, uid } = metadataOf(object);
  const present = await cluster.database(`${namespace}/${name}`);
  const isOwned = ownersOf(present).some((owner) => owner.uid === uid);
  if (isOwned) return { kind: "database", object: present };
  return { kind: "skipped", message: `${namespace}/${name} owns no Database: nothing else would be deleted` };
}
