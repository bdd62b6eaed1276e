// The shared console in the stack's configuration.
import { z } from "zod";
import { NamespaceName } from "./names";

/** A person or a group, as the API server knows it. RBAC names those that the console may act for by their whole name. */
const Name = z
  .string()
  .min(1)
  .refine((name) => !name.startsWith("system:"), "is of Kubernetes itself: the console does not act for it")
  .refine((name) => !name.includes(","), "has a comma, which lists of groups are parted by");
const Header = z.string().regex(/^[A-Za-z0-9-]+$/, "is not the name of a header");

/** In the place of names of users. */
const allUsers = "*";

/** The proxy that signs people in. */
const Proxy = z.strictObject({
  /** Where its pods are, and by which labels they are known: others reach no console. */
  namespace: NamespaceName,
  podLabels: z.record(z.string(), z.string()).refine((labels) => Object.keys(labels).length > 0, "must not be empty"),
  /** In PEM: who signs the certificate that it shows to the console, and the common names that this may have. */
  ca: z.string().startsWith("-----BEGIN CERTIFICATE-----", "is not a certificate in PEM"),
  names: z.array(z.string().min(1)).min(1),
  /** In which it says who asks. Groups: none unless a header is named. */
  userHeader: Header.default("X-Remote-User"),
  groupsHeader: Header.optional(),
});

const Enabled = z
  .strictObject({
    enabled: z.literal(true),
    /** Default: that of the operator, which has the console's program as well. */
    image: z.string().min(1).optional(),
    replicas: z.int().min(1).max(5).default(2),
    /** As browsers name it; a path may follow. */
    url: z.url({ protocol: /^https$/, error: "must be such as https://databases.example.com" }),
    /** With tls.crt and tls.key, in the operator's namespace: what it shows to the proxy. */
    certificateSecret: z.string().min(1).default("database-operator-console-tls"),
    proxy: Proxy,
    /** What the API server puts before names of the same source. */
    userPrefix: z.string().default(""),
    groupPrefix: z.string().default(""),
    /** Whom the console may act for, with the prefix. Users: all only where `*` says so; groups: others that the proxy names are left out. */
    users: z
      .array(Name)
      .min(1)
      .refine((users) => users.length === 1 || !users.includes(allUsers), "has all, and names some: say one of both"),
    groups: z.array(Name).default([]),
    /** Namespaces to look into for those who may list neither all Databases nor namespaces. */
    namespaces: z.array(NamespaceName).default([]),
  })
  .refine(({ proxy, groups }) => (proxy.groupsHeader === undefined) === (groups.length === 0), {
    path: ["groups"],
    message: "goes with proxy.groupsHeader: set both, or neither",
  });

/** Switched off it may keep its other settings. */
export const ConsoleSettings = z.discriminatedUnion("enabled", [z.looseObject({ enabled: z.literal(false) }), Enabled]);

/** Of a console that is installed. */
export type InstalledConsole = z.infer<typeof Enabled>;

/** Undefined: all. */
export const namedUsers = ({ users }: Pick<InstalledConsole, "users">): string[] | undefined =>
  users.includes(allUsers) ? undefined : [...users];
