// `/`: all Databases that the visitor may see.
import type { Hono } from "hono";
import { fleetOf } from "../../data/fleet";
import { databasesFor } from "../../data/read";
import { fleetPage } from "../../pages/fleet";
import { refused, shown } from "../answer";
import { changes, quietMs } from "../changes";
import type { ConsoleContext, ConsoleEnv } from "../context";
import { allTargets } from "../follow";
import type { Followers } from "../followers";
import { isName } from "../place";
import type { ConsoleSettings } from "../settings";

export function fleetRoutes(app: Hono<ConsoleEnv>, settings: ConsoleSettings, followers: Followers): void {
  const { base, stopped, onError } = settings;
  app.get(`${base}/`, async (c) => {
    const namespace = namespaceIn(c);
    if (namespace !== undefined && !isName(namespace))
      return refused(c, 400, {
        title: "No such namespace",
        sentences: ["A namespace has small letters, digits and -."],
      });
    const wanted = (c.req.query("q") ?? "").slice(0, 100);
    const { person } = c.var.visitor;
    const found = await databasesFor(person, namespace);
    const places = namespace === undefined ? await person.places() : "all";
    const untried = places === "all" ? 0 : places.left;
    return shown(c, fleetPage(fleetOf(found, wanted), { wanted, namespace, untried }, c.var.frame));
  });
  app.get(`${base}/changes`, async (c) => {
    const namespace = namespaceIn(c);
    if (namespace !== undefined && !isName(namespace)) return c.body(null, 204);
    const targets = await allTargets(c.var.visitor.person, namespace);
    return changes(c, {
      targets,
      quietMs: quietMs.all,
      followers,
      stopped,
      onError: (error) => {
        onError(c.req.path, error);
      },
    });
  });
}

/** Undefined: all. */
const namespaceIn = (c: ConsoleContext): string | undefined => c.req.query("namespace")?.trim() || undefined;
