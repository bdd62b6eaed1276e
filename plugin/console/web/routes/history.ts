// `/databases/<namespace>/<name>/history`: which changes there were, and all of one.
import type { Hono } from "hono";
import { historyOf } from "../../data/history";
import { databaseAt } from "../../data/read";
import { historyPage } from "../../pages/history";
import { revisionPage } from "../../pages/revision";
import { refused, shown } from "../answer";
import type { ConsoleEnv } from "../context";

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
    const { cluster } = c.var.visitor.person;
    const { revisions, missing } = await historyOf(cluster, await databaseAt(cluster, place));
    const found = revisions.find(({ spec }) => String(spec.revision) === number);
    if (found !== undefined) return shown(c, revisionPage(place, found, c.var.frame));
    const next = { href: c.var.frame.links.history(place), words: "Its history" };
    const why = missing ?? "The newest are kept, and this is none of them.";
    return refused(c, 404, { title: "There is no such revision", sentences: [why], next });
  });
}
