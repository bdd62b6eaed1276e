// A console in front of an API server for the plugin, with one visitor: `jane`.
import { personOf } from "../../../plugin/console/access/open";
import { consoleApp } from "../../../plugin/console/web/app";
import type { ConsoleSettings } from "../../../plugin/console/web/settings";
import { fakeCluster, type FakeCluster } from "./cluster";
import { everything } from "./shop";
import { billing, billingPods } from "./waiting";
import { now } from "./world";

export const origin = "http://127.0.0.1:8080";

/** What there is in `shop` and `bank`, and `billing`, of which a change waits. */
export const shown = [...everything, billing, ...billingPods];

export interface Browser {
  readonly get: (path: string, headers?: Readonly<Record<string, string>>) => Promise<Answered>;
  /** As a browser sends the form of a page of the same origin. */
  readonly post: (
    path: string,
    fields: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Answered>;
  /** The token in the forms of a page. */
  readonly tokenAt: (path: string) => Promise<string>;
}

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

interface Given extends Partial<ConsoleSettings> {
  readonly fake?: Partial<FakeCluster>;
  /** Namespaces that it tries. */
  readonly known?: readonly string[];
}

export function browse({ fake = {}, known = [], ...some }: Given = {}): Browser {
  const cluster = fakeCluster({ objects: shown, ...fake });
  const visitor = { person: personOf(cluster, known, "jane"), key: "jane", forget: () => undefined };
  const app = consoleApp({
    ...{ base: "/c", origin, now: () => now, stopped: new AbortController().signal },
    ...{ followers: { perVisitor: 2, all: 3 }, admit: () => Promise.resolve({ kind: "visitor", visitor }) },
    onError: (path, error) => {
      throw new Error(`${path}: ${String(error)}`);
    },
    ...some,
  });
  const asked = async (path: string, init: RequestInit): Promise<Answered> => {
    const response = await app.request(`/c${path}`, init);
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  const get: Browser["get"] = (path, headers = {}) => asked(path, { headers });
  return {
    get,
    post: (path, fields, headers = { origin, "sec-fetch-site": "same-origin" }) =>
      asked(path, { method: "POST", headers, body: new URLSearchParams(fields) }),
    tokenAt: async (path) => /name="token" value="([^"]+)"/.exec((await get(path)).text)?.[1] ?? "",
  };
}
