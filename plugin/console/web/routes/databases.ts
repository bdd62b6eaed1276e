// `/databases/<namespace>/<name>`: one Database, its preview of an edit, why it is as it is, and the forms of what waits.
import { Hono, type MiddlewareHandler } from "hono";
import { memberNames } from "../../../../components/naming";
import type { SeenDatabase } from "../../../objects/database";
import { besides, explained } from "../../../why/command";
import { previewOf, specText } from "../../data/edit";
import { databaseAt, surroundingsOf, type Found, type Place } from "../../data/read";
import { missingForApproval } from "../../data/rights";
import { databasePage, notices, type Notice } from "../../pages/database";
import { editPage } from "../../pages/edit";
import type { Waiting } from "../../pages/pending";
import { whyPage } from "../../pages/why";
import { refused, shown } from "../answer";
import { approved, withdrawn } from "../approvals";
import { changes, quietMs } from "../changes";
import type { ConsoleContext, ConsoleEnv } from "../context";
import { targetsOf } from "../follow";
import type { Followers } from "../followers";
import { isSame } from "../form-token";
import { placeIn } from "../place";
import type { ConsoleSettings } from "../settings";
import { historyRoutes } from "./history";

const path = "/:namespace/:name";

export function databaseRoutes({ stopped, onError }: ConsoleSettings, followers: Followers): Hono<ConsoleEnv> {
  const app = new Hono<ConsoleEnv>();
  app.use(`${path}/*`, existing);
  app.get(path, async (c) => {
    const place = placeOf(c);
    const { cluster } = c.var.visitor.person;
    const found = await databaseAt(cluster, place);
    const [surroundings, waiting] = await Promise.all([surroundingsOf(cluster, found), waitingOf(c, place, found)]);
    const { isPendingUnread } = found.database;
    const notice = noticeIn(c, found.database);
    return shown(c, databasePage({ place, surroundings, waiting, isPendingUnread, notice }, c.var.frame));
  });
  app.get(`${path}/why`, async (c) => {
    const { cluster } = c.var.visitor.person;
    const { database } = await databaseAt(cluster, placeOf(c));
    const explanation = explained(database, undefined, await besides(cluster, database));
    return shown(c, whyPage(placeOf(c), explanation, c.var.frame));
  });
  app.get(`${path}/changes`, (c) =>
    changes(c, {
      ...{ targets: targetsOf(placeOf(c)), quietMs: quietMs.one, followers, stopped },
      onError: (error) => {
        onError(c.req.path, error);
      },
    }),
  );
  edits(app);
  historyRoutes(app);
  app.post(`${path}/approve`, async (c) => approved(c, placeOf(c), await c.req.parseBody()));
  app.post(`${path}/withdraw`, async (c) => withdrawn(c, placeOf(c), await c.req.parseBody()));
  return app;
}

function edits(app: Hono<ConsoleEnv>): void {
  app.get(`${path}/edit`, async (c) => {
    const { object } = await databaseAt(c.var.visitor.person.cluster, placeOf(c));
    return shown(c, editPage({ place: placeOf(c), text: specText(object), edited: undefined }, c.var.frame));
  });
  app.post(`${path}/edit`, async (c) => {
    const place = placeOf(c);
    const { cluster } = c.var.visitor.person;
    const { spec } = await c.req.parseBody();
    const text = typeof spec === "string" ? spec.replaceAll("\r\n", "\n") : "";
    const { object } = await databaseAt(cluster, place);
    const edited = await previewOf(cluster, place, { object, text });
    const status = edited.kind === "refused" && edited.isForbidden ? 403 : 200;
    c.status(status);
    return shown(c, editPage({ place, text, edited }, c.var.frame));
  });
}

/** What can be no Database is none; a form without its token was not sent from a page of this visitor. */
const existing: MiddlewareHandler<ConsoleEnv, `${typeof path}/*`> = async (c, next) => {
  if (placeIn(c.req.param("namespace"), c.req.param("name")) === undefined)
    return refused(c, 404, { title: "There is no such Database", sentences: [] });
  if (c.req.method === "POST") {
    const { token } = await c.req.parseBody();
    if (typeof token !== "string" || !c.var.formTokens.some((own) => isSame(token, own)))
      return refused(c, 403, {
        title: "Not done",
        sentences: ["The page that this came from is too old: load it again."],
      });
  }
  return next();
};

/** It was looked at before. */
const placeOf = (c: ConsoleContext<typeof path>): Place => ({
  namespace: c.req.param("namespace"),
  name: c.req.param("name"),
});

const isNotice = (text: string | undefined): text is Notice => text !== undefined && Object.hasOwn(notices, text);

/** Whether it is so, by what the Database carries. */
const isSo: Readonly<Record<Notice, (database: SeenDatabase) => boolean>> = {
  approved: ({ approved: digests }) => digests.length > 0,
  withdrawn: ({ pending, approved: digests }) => pending !== undefined && digests.length === 0,
};

function noticeIn(c: ConsoleContext, database: SeenDatabase): Notice | undefined {
  const done = c.req.query("done");
  return isNotice(done) && isSo[done](database) ? done : undefined;
}

async function waitingOf(c: ConsoleContext, place: Place, found: Found): Promise<Waiting | undefined> {
  const { pending, spec } = found.database;
  if (pending === undefined) return undefined;
  const missing = await missingForApproval(c.var.visitor.person.cluster, place);
  const members = memberNames(place.name).slice(0, spec.replicas);
  return { place, pending, members, missing };
}
