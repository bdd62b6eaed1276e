// How the person proves who they are: what the kubeconfig says of it becomes what is sent.
import { readFileSync } from "node:fs";
import type { OutgoingHttpHeaders } from "node:http";
import { z } from "zod";
import { Trouble } from "../command/trouble";
import type { Reach } from "../command/world";
import { credentialBy } from "./credential";
import type { Chosen, Fields } from "./kubeconfig";

/** The user with what a program or a file says of them. */
export async function signedIn({ user, cluster }: Chosen): Promise<Fields> {
  const { exec, tokenFile, "auth-provider": provider, ...rest } = user;
  if (typeof tokenFile === "string") return { ...rest, token: tokenIn(tokenFile) };
  if (exec && !rest["token"]) return { ...rest, ...(await credentialBy(exec, cluster)) };
  const oidc = Oidc.safeParse(provider).data;
  return oidc === undefined ? { ...rest, "auth-provider": provider } : { ...rest, token: oidc.config["id-token"] };
}

function tokenIn(file: string): string {
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    throw new Trouble(`cannot read the token: ${error instanceof Error ? error.message : String(error)}`);
  }
}

const Oidc = z.object({ name: z.literal("oidc"), config: z.object({ "id-token": z.string() }) });

/** Whether kubectl must renew the token of an identity provider: it keeps what it is given for the next time, and many give that only once. */
export function isExpired({ user }: Chosen, now: Date): boolean {
  const token = Oidc.safeParse(user["auth-provider"]).data?.config["id-token"];
  return token !== undefined && endOf(token) <= now.getTime();
}

const Claims = z.object({ exp: z.number() });

/** In milliseconds; 0 where it says none. */
function endOf(token: string): number {
  try {
    const [, payload = ""] = token.split(".");
    return Claims.parse(JSON.parse(Buffer.from(payload, "base64url").toString())).exp * 1000;
  } catch {
    return 0;
  }
}

const Acting = z.object({
  as: z.string().nullish(),
  "as-uid": z.string().nullish(),
  "as-groups": z.array(z.string()).nullish(),
  "as-user-extra": z.record(z.string(), z.array(z.string())).nullish(),
});

/** As whom: flags win over the kubeconfig. */
export function actingAs(user: Fields, { as, groups }: Pick<Reach, "as" | "groups">): OutgoingHttpHeaders {
  const written = Acting.parse(user);
  const name = as ?? written.as;
  const uid = written["as-uid"];
  const all = groups.length > 0 ? groups : (written["as-groups"] ?? []);
  const extra = Object.entries(written["as-user-extra"] ?? {});
  return {
    ...(name && { "Impersonate-User": name }),
    ...(uid && { "Impersonate-Uid": uid }),
    ...(all.length > 0 && { "Impersonate-Group": [...all] }),
    ...Object.fromEntries(extra.map(([key, values]) => [`Impersonate-Extra-${encodeURIComponent(key)}`, values])),
  };
}
