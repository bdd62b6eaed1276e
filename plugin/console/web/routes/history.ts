// `/databases/<namespace>/<name>/history`: which changes there were, all of one, and what going back to it would do.
import type { Hono } from "hono";
import type { DatabaseRevision } from "../../../../operator/api/revisions/object";
import { comparisonOf } from "../../data/compare";
import { specIn } from "../../data/edit";
import { historyOf, type History } from "../../data/history";
import { databaseAt, type Place } from "../../data/read";
import { wayBack } from "../../data/rollback";
import { historyPage } from "../../pages/history";
import { revisionPage } from "../../pages/revision";
import { rollbackPage } from "../../pages/rollback";
import { refused, shown } from "../answer";
import type { ConsoleContext, ConsoleEnv } from "../context";

const path = "/:namespace/:name/history";

/** Below paths that were looked at. */
export function historyRoutes(app: Hono<ConsoleEnv>): void {
  app.get(path, async (c) => {
    const place = c.req.param();
    const { cluster } = c.var.visitor.person;
    return shown(c, historyPage(place, await historyOf(cluster, await databaseAt(cluster, place)), c.var.frame));
  });
  app.get(`${path}/:revision`, async (c) => {
    const { revision: number, ...place } = c.req.param();
    const { object, revisions, found, missing } = await revisionAt(c, place, number);
    if (found === undefined) return noRevision(c, place, missing);
    const compared = { revision: found, revisions, spec: specIn(object) };
    const comparison = comparisonOf(compared, c.req.query("with"));
    return shown(c, revisionPage({ place, revision: found, comparison }, c.var.frame));
  });
  app.post(`${path}/:revision/rollback`, async (c) => {
    const { revision: number, ...place } = c.req.param();
    const { object, found: to, missing } = await revisionAt(c, place, number);
    if (to === undefined) return noRevision(c, place, missing);
    const keepsVersion = (await c.req.parseBody())["version"] === "keep";
    const back = await wayBack(c.var.visitor.person.cluster, place, { object, to, keepsVersion });
    c.status(back.edited?.kind === "refused" && back.edited.isForbidden ? 403 : 200);
    return shown(c, rollbackPage({ place, to, back, keepsVersion }, c.var.frame));
  });
}

interface Sought extends History {
  /** The Database as it is. */
  readonly object: unknown;
  readonly found: DatabaseRevision | undefined;
}

async function revisionAt(c: ConsoleContext, place: Place, number: string): Promise<Sought> {
  const { cluster } = c.var.visitor.person;
  const database = await databaseAt(cluster, place);
  const history = await historyOf(cluster, database);
  const found = history.revisions.find(({ spec }) => String(spec.revision) === number);
  return { ...history, object: database.object, found };
}

function noRevision(c: ConsoleContext, place: Place, missing: string | undefined): Response {
  const next = { href: c.var.frame.links.history(place), words: "Its history" };
  const why = missing ?? "The newest are kept, and this is none of them.";
  return refused(c, 404, { title: "There is no such revision", sentences: [why], next });
}
