// What the shared console is told by its environment.
import { z } from "zod";
import type { CertificateFiles } from "./certificates";

const list = z
  .string()
  .default("")
  .transform((text) =>
    text
      .split(",")
      .map((part) => part.trim())
      .filter((part) => part !== ""),
  );
const headerName = z
  .string()
  .regex(/^[A-Za-z0-9-]+$/)
  .toLowerCase();

const Environment = z.object({
  /** As browsers name it: `https://databases.example.com`, and a path where it is below one. */
  CONSOLE_URL: z.url({ protocol: /^https$/ }),
  CONSOLE_PORT: z.coerce.number().int().min(1).max(65_535).default(8443),
  /** The server's own certificate and key. */
  CONSOLE_CERTIFICATE: z.string(),
  CONSOLE_KEY: z.string(),
  /** Who signs the certificate of the proxy, and the names that it may have. */
  CONSOLE_PROXY_CA: z.string(),
  CONSOLE_PROXY_NAMES: list.pipe(z.array(z.string()).min(1)),
  CONSOLE_USER_HEADER: headerName.default("x-remote-user"),
  // without it persons have no groups: a proxy that does not know of the header lets browsers send it
  CONSOLE_GROUPS_HEADER: headerName.optional(),
  // the console's account may act for these alone; without it for all
  CONSOLE_USERS: list,
  // the console's account may act for these alone, and what it may not do fails each request of the person
  CONSOLE_GROUPS: list,
  /** Before each name that the proxy gives, as for `--oidc-username-prefix` of the API server. */
  CONSOLE_USER_PREFIX: z.string().default(""),
  CONSOLE_GROUP_PREFIX: z.string().default(""),
  /** Namespaces to look into for those who may list neither all Databases nor namespaces. */
  CONSOLE_NAMESPACES: list,
});

export interface SharedConfig {
  readonly origin: string;
  readonly base: string;
  readonly port: number;
  readonly files: CertificateFiles;
  readonly proxy: ProxyConfig;
  readonly namespaces: readonly string[];
}

/** How the proxy says who asks. */
export interface ProxyConfig {
  /** Common names that its certificate may have. */
  readonly names: readonly string[];
  readonly userHeader: string;
  /** Undefined: it names no groups. */
  readonly groupsHeader: string | undefined;
  /** With their prefix: others are not let in. None: all are. */
  readonly users: readonly string[];
  /** With their prefix: others are left out. None: all are taken. */
  readonly groups: readonly string[];
  readonly userPrefix: string;
  readonly groupPrefix: string;
}

/** Throws where it is not complete: a console that lets in too many is not started. */
export function sharedConfig(environment: Readonly<Record<string, string | undefined>>): SharedConfig {
  const given = Environment.safeParse(environment);
  if (!given.success) throw new Error(z.prettifyError(given.error));
  const { CONSOLE_URL, CONSOLE_PORT, CONSOLE_CERTIFICATE, CONSOLE_KEY, CONSOLE_PROXY_CA, ...rest } = given.data;
  const { origin, pathname } = new URL(CONSOLE_URL);
  return {
    ...{ origin, base: pathname.replace(/\/+$/, ""), port: CONSOLE_PORT, namespaces: rest.CONSOLE_NAMESPACES },
    files: { cert: CONSOLE_CERTIFICATE, key: CONSOLE_KEY, ca: CONSOLE_PROXY_CA },
    proxy: {
      names: rest.CONSOLE_PROXY_NAMES,
      ...{ userHeader: rest.CONSOLE_USER_HEADER, groupsHeader: rest.CONSOLE_GROUPS_HEADER },
      ...{ users: rest.CONSOLE_USERS, groups: rest.CONSOLE_GROUPS },
      ...{ userPrefix: rest.CONSOLE_USER_PREFIX, groupPrefix: rest.CONSOLE_GROUP_PREFIX },
    },
  };
}
