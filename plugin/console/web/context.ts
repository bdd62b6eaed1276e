// What routes find beside the request.
import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import type { Frame } from "../pages/frame";
import type { Visitor } from "./visitor";

export interface ConsoleEnv {
  readonly Bindings: Partial<HttpBindings>;
  readonly Variables: {
    readonly visitor: Visitor;
    readonly frame: Frame;
    /** Those that a form of this visitor may carry. */
    readonly formTokens: readonly string[];
  };
}

/** Of any route, unless it says which. */
export type ConsoleContext<Path extends string = string> = Context<ConsoleEnv, Path>;
