// The console as an answer to requests: who asks is found out first, then what they may see is read as them.
import { randomBytes } from "node:crypto";
import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { getCookie } from "hono/cookie";
import { csrf } from "hono/csrf";
import { icon } from "../assets/icon";
import { liveScript } from "../assets/script";
import { styleSheet } from "../assets/style-sheet";
import { linksUnder } from "../pages/links";
import { saidPage } from "../pages/said";
import { documentOf } from "../pages/shell";
import { refused } from "./answer";
import type { ConsoleEnv } from "./context";
import { Followers } from "./followers";
import { formTokenOf } from "./form-token";
import { protectiveHeaders } from "./headers";
import { databaseRoutes } from "./routes/databases";
import { fleetRoutes } from "./routes/fleet";
import type { ConsoleSettings, FormKeys } from "./settings";
import { toldOf } from "./trouble";

/** Bytes of the largest form: a spec is far smaller. */
const largestForm = 256 * 1024;

export function consoleApp(settings: ConsoleSettings): Hono<ConsoleEnv> {
  const { base, origin } = settings;
  const app = new Hono<ConsoleEnv>({ strict: true });
  for (const handler of protectiveHeaders(origin.startsWith("https:"))) app.use(handler);
  settings.before?.(app);
  assets(app, base);
  app.use(csrf({ origin, secFetchSite: "same-origin" }));
  app.use(bodyLimit({ maxSize: largestForm }));
  admission(app, settings);
  const followers = new Followers(settings.followers);
  fleetRoutes(app, settings, followers);
  app.route(`${base}/databases`, databaseRoutes(settings, followers));
  app.notFound((c) => refused(c, 404, { title: "There is no such page", sentences: [] }));
  return app;
}

/** They tell nothing, and are for all. */
function assets(app: Hono<ConsoleEnv>, base: string): void {
  const { style, script, icon: picture } = linksUnder(base);
  const serve = (path: string, type: string, text: string): unknown =>
    app.get(path, (c) => c.body(text, 200, { "Content-Type": type }));
  serve(style, "text/css; charset=utf-8", styleSheet);
  serve(script, "text/javascript; charset=utf-8", liveScript);
  serve(picture, "image/svg+xml", icon);
}

/** What those are told who are no visitors. */
const outside = {
  unknown: { title: "Who are you?", status: 401 },
  refused: { title: "This console is not for you", status: 403 },
} as const;

/** Who asks, and what is said where that is not known or a page cannot be shown. */
function admission(app: Hono<ConsoleEnv>, { base, admit, now, onError, formKeys }: ConsoleSettings): void {
  const links = linksUnder(base);
  const ofProcess: FormKeys = [randomBytes(32)];
  app.use(async (c, next) => {
    const header = (name: string): string | undefined => c.req.header(name);
    const cookie = (name: string): string | undefined => getCookie(c, name);
    // a test has no connection, and so no bindings either
    const admitted = await admit({ header, cookie, incoming: (c.env as ConsoleEnv["Bindings"] | undefined)?.incoming });
    if (admitted.kind !== "visitor") {
      const { title, status } = outside[admitted.kind];
      return c.html(documentOf(saidPage({ title, sentences: admitted.sentences }), { links }), status);
    }
    const { visitor } = admitted;
    c.set("visitor", visitor);
    const [making, ...former] = formKeys?.() ?? ofProcess;
    const formToken = formTokenOf(making, visitor.key);
    c.set("formTokens", [formToken, ...former.map((key) => formTokenOf(key, visitor.key))]);
    const { user, cluster } = visitor.person;
    c.set("frame", { links, now: now(), user, context: cluster.context, formToken });
    return next();
  });
  app.onError((error, c) => {
    const told = toldOf(error);
    if (told.isLogged) onError(c.req.path, error);
    // it may have come before it was known who asks
    const visitor = c.get("visitor") as ConsoleEnv["Variables"]["visitor"] | undefined;
    if (visitor === undefined) return c.html(documentOf(saidPage(told.said), { links }), told.status);
    if (told.status === 401) visitor.forget();
    return refused(c, told.status, told.said);
  });
}
