// The server elsewhere whose data a new Database begins with: a part of the spec.
import { z } from "zod";
import { enginesThat, engineNames, factsOf, inSentence, titlesOf, type EngineName } from "../../contract/engines";
import { sourceAuthority, sourceKeys, tlsModes } from "../../contract/import";
import { nameOf, patterned } from "./fields";
import { isNoneOf, rule, type CelRule, type CheckedRule } from "./rules";

const secret = (example: string, description: string): z.ZodObject<{ name: z.ZodString }> =>
  z
    .object({
      name: nameOf("a Secret", example).meta({ description: "Name of the Secret, in the namespace of the Database." }),
    })
    .meta({ description });

const mostDatabases = 20;
const longestName = 63;
/** Those of which no client must escape anything. */
const databaseName = /^[A-Za-z0-9_][-A-Za-z0-9_$]{0,62}$/;

const alone = enginesThat(({ takesIn }) => takesIn.databases === "one");
const several = enginesThat(({ takesIn }) => takesIn.databases === "some");

const Databases = rule(
  rule(z.array(z.string().max(longestName)).min(1).max(mostDatabases), {
    rule: `self.all(name, name.matches(r'${databaseName.source}'))`,
    message: `must be names of databases: at most ${longestName} letters, digits, _, $ and -, for example shop`,
    holds: (names) => names.every((name) => databaseName.test(name)),
  }),
  {
    rule: "self.all(one, self.exists_one(other, other == one))",
    message: "must name each database once",
    holds: (names) => new Set(names).size === names.length,
  },
).meta({
  "x-kubernetes-list-type": "atomic",
  description: `Names of the databases there. ${titlesOf(alone)}: one, which becomes the database app. ${titlesOf(several)}: under their own names; the user app gets all rights on them.`,
});

const Tls = z
  .object({
    mode: z.enum(tlsModes).default("Verify").meta({
      description:
        "Verify: encrypted, and the server's certificate must be of a known authority and name the host. Require: encrypted, but any server may answer. Disable: everything, the password too, is readable on the way.",
    }),
    ca: secret(
      "old-db-ca",
      `The Secret whose key ${sourceAuthority.file} is the authority that issued the server's certificate. Default: the usual authorities.`,
    ).optional(),
  })
  .prefault({})
  .meta({ description: "How the way there is secured. Default: verified." });

/** See its description. */
export const InitFrom = z
  .object({
    host: patterned(
      /^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?|[0-9a-f:]{2,45})$/,
      253,
      "must be a host name or an address, in lower case, for example old-db.example.com",
    ).meta({ description: "Where the server is, for pods of this namespace." }),
    port: z
      .int()
      .min(1)
      .max(65_535)
      .optional()
      .meta({
        description: `Its port. Default: ${inSentence(engineNames.map((name) => `${factsOf(name).port} for ${factsOf(name).title}`))}.`,
      }),
    databases: Databases,
    credentials: secret(
      "old-db",
      `The Secret whose keys ${sourceKeys.username} and ${sourceKeys.password} open the server. The user must be able to read all of these databases; nothing is written there.`,
    ),
    tls: Tls,
  })
  .meta({
    description:
      "A server of the same engine elsewhere, whose data a new Database begins with. They are imported once, before there are members, and counted on both sides; users and passwords are new ones. What is written there afterwards does not arrive. It cannot be added or changed later; it can be removed, which changes nothing once the data are there.",
  });
export type InitFrom = z.infer<typeof InitFrom>;

/** What the rules about it look at. */
interface Whole {
  readonly engine: EngineName;
  readonly restore?: unknown;
  readonly initFrom?: InitFrom | undefined;
}

/** A rule of the whole spec. */
export const beginsOnce: CheckedRule<Whole> = {
  rule: "!has(self.restore) || !has(self.initFrom)",
  message: "a Database begins with a backup or with the data of a server: write restore or initFrom",
  fieldPath: ".initFrom",
  holds: ({ restore, initFrom }) => restore === undefined || initFrom === undefined,
};

/** A rule of the whole spec. */
export const takesInOne: CheckedRule<Whole> = {
  rule: `!has(self.initFrom) || ${isNoneOf(alone)} || self.initFrom.databases.size() == 1`,
  message: `${titlesOf(alone)} takes in one database, which becomes app: name one, and create another Database for each other one`,
  fieldPath: ".initFrom.databases",
  holds: ({ engine, initFrom }) => initFrom === undefined || !alone.includes(engine) || initFrom.databases.length === 1,
};

const ownOf = (name: EngineName): readonly string[] => factsOf(name).takesIn.own;
const listed = (names: readonly string[]): string => names.map((name) => `'${name}'`).join(", ");

/** A rule of the whole spec. */
export const takesInData: CheckedRule<Whole> = {
  rule: [
    "!has(self.initFrom)",
    ...engineNames.map(
      (name) =>
        `self.engine == '${name}' && !self.initFrom.databases.exists(one, one.lowerAscii() in [${listed(ownOf(name))}])`,
    ),
  ].join(" || "),
  message: `names a database that is the server's own (${engineNames.flatMap(ownOf).join(", ")}): name those of applications`,
  fieldPath: ".initFrom.databases",
  holds: ({ engine, initFrom }) =>
    initFrom === undefined || !initFrom.databases.some((one) => ownOf(engine).includes(one.toLowerCase())),
};

/** A rule over the old and the new spec. */
export const initFromStays: CelRule = {
  rule: "!has(self.initFrom) || (has(oldSelf.initFrom) && self.initFrom == oldSelf.initFrom)",
  message: "cannot be added or changed: create another Database with it",
  fieldPath: ".initFrom",
};
