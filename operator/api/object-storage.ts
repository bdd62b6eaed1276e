// Backups in object storage: a part of the spec.
import { z } from "zod";
import { archiveDefaults } from "../../contract/defaults";
import { enginesThat, factsOf, titlesOf, type EngineName } from "../../contract/engines";
import { hasS3 } from "./destination";
import { nameOf, patterned } from "./fields";
import { PointInTime } from "./point-in-time";
import { isNoneOf, isOneOf, type CelRule, type CheckedRule } from "./rules";

/** Engines whose backups go there. */
export const storing = enginesThat(({ backsUpTo }) => backsUpTo === "object storage");

/** Those of them whose members send what changes between backups as well. */
const sending = enginesThat(({ keepsChanges }) => keepsChanges.includes("in object storage"));

/** Those of them whose Jobs make backups on a volume first. Each backup is a complete one. */
const staged = storing.filter((name) => factsOf(name).isStaged);

const secret = (description: string): z.ZodObject<{ name: z.ZodString }> =>
  z
    .object({
      name: nameOf("a Secret", "s3").meta({ description: "Name of the Secret, in the namespace of the Database." }),
    })
    .meta({ description });

/** What is before a name in a bucket. */
export const prefixPattern = /^[A-Za-z0-9][-A-Za-z0-9_.]*(\/[A-Za-z0-9][-A-Za-z0-9_.]*)*$/;

/** Every field of it. */
export const storageFields = {
  bucket: patterned(
    /^[a-z0-9][-a-z0-9.]{1,61}[a-z0-9]$/,
    63,
    "must be the name of a bucket: 3 to 63 lower-case letters, digits, - and ., for example backups",
  ).meta({ description: "The bucket. It must exist." }),
  prefix: patterned(
    prefixPattern,
    256,
    "must be letters, digits, -, _ and ., with / between parts that begin with a letter or digit, for example prod/east",
  )
    .optional()
    .meta({
      description:
        "What all names in the bucket begin with; behind it come namespace and name of the Database. Default: none.",
    }),
  endpoint: patterned(
    /^https?:\/\/[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?(:[0-9]{1,5})?$/,
    270,
    "must be an address with https:// or http:// and nothing behind the port, for example https://s3.example.com",
  ).meta({
    description:
      "The address of the storage, for example https://s3.example.com. Over http:// everything, the database too, is readable on the way.",
  }),
  region: patterned(/^[-a-z0-9]{1,64}$/, 64, "must be lower-case letters, digits and -, for example eu-west-1")
    .optional()
    .meta({ description: "The region of the bucket. Default: us-east-1." }),
  pathStyle: z.boolean().default(false).meta({
    description:
      "Whether the bucket is in the path of an address rather than in its host: true for most servers but a cloud's.",
  }),
  credentials: secret(
    "The Secret whose keys accessKeyId and secretAccessKey open the bucket. They may be replaced at any time; nothing restarts.",
  ),
  ca: secret(
    "The Secret whose key ca.crt is the authority that issued the certificate of the endpoint. Default: the usual authorities.",
  ).optional(),
};

const ObjectStorage = z.object(storageFields).meta({
  description: `${titlesOf(storing)} only: object storage that speaks S3, in place of a volume. It holds backups and, of ${titlesOf(sending)}, minute by minute, what changes between them. What is there outlives the Database whatever its deletionPolicy. To begin or to end it restarts the members of ${titlesOf(sending)}, one after the other; Jobs of ${titlesOf(staged)} make a backup on a volume of their own first, of the size and class of a data volume.`,
});

/** The parts of `backup.destination` beside the volume. */
export const objectStorage = { s3: ObjectStorage.optional() };

/** By what it is encrypted. */
export const Encryption = z.object({
  secret: secret(
    "The Secret whose key passphrase everything is encrypted with. It must stay as it is, and what it holds is needed for a restore: keep a copy outside of the cluster.",
  ),
});

/** The parts of `backup` that go with it. */
export const objectBackups = {
  fullEvery: z
    .int()
    .min(1)
    .max(30)
    .optional()
    .meta({
      description: `${titlesOf(sending)} only, with destination.s3: how many backups there are from one complete one to the next, at most retention + 1; those between hold what has changed since. Default: ${archiveDefaults.fullEvery}.`,
    }),
  pointInTime: PointInTime.optional(),
  encryption: Encryption.optional().meta({
    description:
      "With destination.s3: encrypts backups and what changes between them before they leave the pods, with AES-256. It cannot be changed, added or removed while bucket and prefix stay. Default: what the storage does.",
  }),
};

interface Destination {
  readonly volume?: unknown;
  readonly s3?: unknown;
}

/** A rule of `backup.destination`. */
export const isOnePlace: CheckedRule<Destination> = {
  rule: "!has(self.volume) || !has(self.s3)",
  message: "must be one place: write volume or s3",
  holds: ({ volume, s3 }) => volume === undefined || s3 === undefined,
};

interface Backups {
  readonly fullEvery?: unknown;
  readonly encryption?: unknown;
  readonly destination?: Destination | undefined;
}

/** A rule of `backup`. */
export const hasObjectStorage: CheckedRule<Backups> = {
  rule: "!has(self.fullEvery) || has(self.destination) && has(self.destination.s3)",
  message: "is for backups in object storage: write destination.s3, or leave it out",
  fieldPath: ".fullEvery",
  holds: ({ fullEvery, destination }) => fullEvery === undefined || destination?.s3 !== undefined,
};

/** A rule of `backup`. */
export const encryptsObjects: CheckedRule<Backups> = {
  rule: "!has(self.encryption) || has(self.destination) && has(self.destination.s3)",
  message:
    "encryption is for backups in object storage, a volume is encrypted by its StorageClass: write destination.s3, or leave it out",
  fieldPath: ".encryption",
  holds: ({ encryption, destination }) => encryption === undefined || destination?.s3 !== undefined,
};

/** A rule of the whole spec. */
export const isForItsEngine: CheckedRule<{ readonly engine: EngineName; readonly backup: Backups }> = {
  rule: `!(${hasS3("self")}) || ${isOneOf(storing)}`,
  message: `backups in object storage are for ${titlesOf(storing)}: write destination.volume, or leave destination out`,
  fieldPath: ".backup.destination",
  holds: ({ engine, backup }) => backup.destination?.s3 === undefined || storing.includes(engine),
};

/** A rule of the whole spec. */
export const takesDifferences: CheckedRule<{ readonly engine: EngineName; readonly backup: Backups }> = {
  rule: `!has(self.backup.fullEvery) || ${isNoneOf(staged)}`,
  message: `is for ${titlesOf(sending)}, whose backups may hold differences: leave it out, as each backup is a complete one`,
  fieldPath: ".backup.fullEvery",
  holds: ({ engine, backup }) => backup.fullEvery === undefined || !staged.includes(engine),
};

const inS3 = (spec: string, field: string): string => `${spec}.backup.destination.s3.${field}`;
const prefixOf = (spec: string): string => `(has(${inS3(spec, "prefix")}) ? ${inS3(spec, "prefix")} : '')`;
const encryptedBy = (spec: string): string =>
  `(has(${spec}.backup.encryption) ? ${spec}.backup.encryption.secret.name : '')`;

/** A rule over the old and the new spec: what lies in one place is encrypted in one way. */
export const encryptionStays: CelRule = {
  rule: [
    `!(${hasS3("self")})`,
    `!(${hasS3("oldSelf")})`,
    `${inS3("self", "bucket")} != ${inS3("oldSelf", "bucket")}`,
    `${prefixOf("self")} != ${prefixOf("oldSelf")}`,
    `${encryptedBy("self")} == ${encryptedBy("oldSelf")}`,
  ].join(" || "),
  message:
    "cannot be changed, added or removed where backups are already: write another prefix or bucket with it, where new ones begin",
  fieldPath: ".backup",
};
