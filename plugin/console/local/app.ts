// The console on 127.0.0.1, for the one person who started it and by their own kubeconfig.
import type { Hono, MiddlewareHandler } from "hono";
import { setCookie } from "hono/cookie";
import type { Person } from "../access/person";
import { KeptPersons } from "../access/kept";
import { linksUnder } from "../pages/links";
import { saidPage } from "../pages/said";
import { documentOf } from "../pages/shell";
import { consoleApp } from "../web/app";
import type { ConsoleEnv } from "../web/context";
import type { ConsoleSettings } from "../web/settings";
import type { Admission, Knock } from "../web/visitor";
import type { LocalSession } from "./session";

const cookieName = "console-session";

/** What the browser allows one origin over HTTP/1.1, less one for the page itself. */
const followers = { perVisitor: 5, all: 5 } as const;

export interface LocalConsole extends Pick<ConsoleSettings, "now" | "stopped" | "onError"> {
  /** Such as `127.0.0.1:8080`: a request for any other host is refused, as a name that leads here may be another's. */
  readonly host: string;
  readonly session: LocalSession;
  readonly open: () => Promise<Person>;
}

export function localApp({ host, session, open, ...rest }: LocalConsole): Hono<ConsoleEnv> {
  const kept = new KeptPersons(1, rest.now);
  const admit = async ({ cookie }: Knock): Promise<Admission> => {
    if (!session.isOpenTo(cookie(cookieName))) return stranger;
    const forget = (): void => {
      kept.forget(session.id);
    };
    return { kind: "visitor", visitor: { person: await kept.of(session.id, open), key: session.id, forget } };
  };
  return consoleApp({
    ...{ ...rest, base: session.base, origin: `http://${host}`, admit, followers },
    before: (app) => {
      app.use(forHost(host));
      app.get(`${session.base}/enter`, entrance(session));
    },
  });
}

const again = "Open the link that the program has printed, or start it again for another one.";
const stranger: Admission = { kind: "unknown", sentences: [`This console is open to who has started it. ${again}`] };

const forHost =
  (host: string): MiddlewareHandler =>
  async (c, next) =>
    c.req.header("host") === host ? next() : c.text("This server is another one.\n", 421);

function entrance(session: LocalSession): MiddlewareHandler<ConsoleEnv> {
  const links = linksUnder(session.base);
  return (c) => {
    if (session.enter(c.req.query("token") ?? "")) {
      setCookie(c, cookieName, session.id, { path: `${session.base}/`, httpOnly: true, sameSite: "Strict" });
      return Promise.resolve(c.redirect(links.fleet, 303));
    }
    const sentences = [`It works once, and for ten minutes. Start the program again for another one.`];
    return Promise.resolve(c.html(documentOf(saidPage({ title: "This link is used up", sentences }), { links }), 401));
  };
}
