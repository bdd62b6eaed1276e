// A form without its token was not sent from a page of this visitor.
import type { MiddlewareHandler } from "hono";
import { refused } from "./answer";
import type { ConsoleEnv } from "./context";
import { isSame } from "./form-token";

export const ownForm: MiddlewareHandler<ConsoleEnv> = async (c, next) => {
  if (c.req.method !== "POST") return next();
  const { token } = await c.req.parseBody();
  if (typeof token === "string" && c.var.formTokens.some((own) => isSame(token, own))) return next();
  const sentences = ["The page that this came from is too old: load it again."];
  return refused(c, 403, { title: "Not done", sentences });
};
