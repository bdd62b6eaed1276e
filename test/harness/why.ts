// What `why` says of a Database, as facts.
import assert from "node:assert/strict";
import { z } from "zod";
import type { PluginUsers } from "./plugin";

const Why = z.object({
  members: z.array(z.object({ member: z.string(), at: z.string().optional(), chain: z.array(z.string()) })),
  incidents: z.array(z.object({ at: z.string(), about: z.string(), reason: z.string(), message: z.string() })),
  notShown: z.array(z.string()),
});
export type Why = z.infer<typeof Why>;

/** Of a Database or a member, to a person with the role `view`. Throws where anything is not shown to them. */
export async function askWhy({ plugin }: Pick<PluginUsers, "plugin">, name: string): Promise<Why> {
  const { code, out, err } = await plugin(`why ${name} --all -o json`);
  assert.deepEqual([code, err], [0, ""]);
  const why = Why.parse(JSON.parse(out));
  assert.deepEqual(why.notShown, []);
  return why;
}

/** Why the member of this name started last, as one text. */
export const chainOf = ({ members }: Why, name: string): string =>
  members.find(({ member }) => member === name)?.chain.join(" ← ") ?? "";
