// `/databases/<namespace>/<name>/backups`: which there are, and what to apply to restore one.
import type { Hono } from "hono";
import { specIn } from "../../data/edit";
import { databaseAt, surroundingsOf } from "../../data/read";
import { restorePlan, usualName } from "../../data/restore";
import { restorePage } from "../../pages/restore";
import { shown } from "../answer";
import type { ConsoleEnv } from "../context";

/** Below a path that was looked at. */
export function backupRoutes(app: Hono<ConsoleEnv>): void {
  app.get("/:namespace/:name/backups", async (c) => {
    const place = c.req.param();
    const found = await databaseAt(c.var.visitor.person.cluster, place);
    const surroundings = await surroundingsOf(c.var.visitor.person.cluster, found);
    const { name, backup = "", moment = "" } = c.req.query();
    const wish = { name: name?.trim() ?? usualName(place), backup, moment: moment.trim() };
    const { backups, standing } = surroundings;
    const from = { place, spec: specIn(found.object), backups, recoverableFrom: standing.backup.recoverableFrom };
    const plan = name === undefined ? undefined : restorePlan(from, wish);
    return shown(c, restorePage({ place, surroundings, wish, plan }, c.var.frame));
  });
}
