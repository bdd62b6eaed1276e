// `/upgrade`: what a change of the platform would do to all Databases that the visitor may write.
import type { Hono } from "hono";
import { upgradePreview } from "../../data/upgrade";
import { upgradePage } from "../../pages/upgrade";
import { refused, shown } from "../answer";
import type { ConsoleEnv } from "../context";
import { ownForm } from "../own-form";
import { isName } from "../place";
import type { ConsoleSettings } from "../settings";

export function upgradeRoutes(app: Hono<ConsoleEnv>, { base }: Pick<ConsoleSettings, "base">): void {
  const path = `${base}/upgrade`;
  app.get(path, (c) =>
    shown(c, upgradePage({ question: { namespace: undefined, text: "" }, preview: undefined }, c.var.frame)),
  );
  app.post(path, ownForm, async (c) => {
    const form = await c.req.parseBody();
    const namespace = textIn(form["namespace"]).trim() || undefined;
    if (namespace !== undefined && !isName(namespace))
      return refused(c, 400, {
        title: "No such namespace",
        sentences: ["A namespace has small letters, digits and -."],
      });
    const question = { namespace, text: textIn(form["catalogue"]).replaceAll("\r\n", "\n") };
    const preview = await upgradePreview(c.var.visitor.person, question);
    return shown(c, upgradePage({ question, preview }, c.var.frame));
  });
}

const textIn = (field: unknown): string => (typeof field === "string" ? field : "");
