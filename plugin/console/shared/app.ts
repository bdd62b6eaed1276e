// The console for many: each request is made to the API server in the name of the person whom the proxy has signed in.
import { TLSSocket } from "node:tls";
import type { Hono } from "hono";
import { KeptPersons } from "../access/kept";
import type { Person } from "../access/person";
import { consoleApp } from "../web/app";
import type { ConsoleEnv } from "../web/context";
import type { ConsoleSettings, FormKeys } from "../web/settings";
import type { Admission, Knock } from "../web/visitor";
import type { ProxyConfig } from "./config";
import { identityIn, isActedFor, type Identity, type Shown } from "./identity";

/** Persons that are kept, and pages that follow changes: some hundred kilobytes each at most, and a watch or two. */
const mostPersons = 500;
const followers = { perVisitor: 6, all: 200 } as const;

export interface SharedConsole extends Pick<ConsoleSettings, "origin" | "base" | "now" | "stopped" | "onError"> {
  readonly proxy: ProxyConfig;
  /** The same in all pods. */
  readonly formKeys: () => FormKeys;
  /** The API server, as this person. */
  readonly open: (identity: Identity) => Promise<Person>;
}

export function sharedApp({ proxy, open, ...rest }: SharedConsole): Hono<ConsoleEnv> {
  const kept = new KeptPersons(mostPersons, rest.now);
  const admit = async (knock: Knock): Promise<Admission> => {
    const identity = identityIn(shownIn(knock), proxy);
    if (identity === undefined) return unknown;
    if (!isActedFor(identity, proxy)) return notActedFor(identity);
    const key = JSON.stringify([identity.user, [...identity.groups].sort()]);
    const forget = (): void => {
      kept.forget(key);
    };
    return { kind: "visitor", visitor: { person: await kept.of(key, () => open(identity)), key, forget } };
  };
  return consoleApp({ ...rest, admit, followers, before: healthUntil(rest.stopped) });
}

/** For probes, which show no certificate of the proxy: it tells nothing. */
const healthUntil =
  (stopped: AbortSignal) =>
  (app: Hono<ConsoleEnv>): void => {
    app.get("/healthz", (c) => c.text("ok\n"));
    app.get("/readyz", (c) => (stopped.aborted ? c.text("stopping\n", 503) : c.text("ok\n")));
  };

const unknown: Admission = {
  kind: "unknown",
  sentences: ["The proxy in front of this console has not said who you are, or it is none that this console knows."],
};

const notActedFor = ({ user }: Identity): Admission => ({
  kind: "refused",
  sentences: [`This console does not act for ${user}. Who runs the platform names those for whom it does.`],
});

function shownIn({ incoming }: Knock): Shown {
  const socket = incoming?.socket;
  const isProxy = socket instanceof TLSSocket && socket.authorized;
  const name = isProxy ? socket.getPeerCertificate().subject.CN : undefined;
  return {
    commonName: Array.isArray(name) ? undefined : name,
    valuesOf: (header) => incoming?.headersDistinct[header] ?? [],
  };
}
