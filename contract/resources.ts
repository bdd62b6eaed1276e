// The kinds of the API, and what the operator's own labels and annotations begin with.

/** Where a kind is in the API. */
export interface ApiResource {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
}

/** The version in which all of them are stored. */
export const storedVersion = "v1";

export const databaseResource = {
  group: "example.com",
  kind: "Database",
  plural: "databases",
} as const satisfies ApiResource;

/** A backup of a Database that was taken, tried, or is asked for. */
export const backupResource = {
  group: "example.com",
  kind: "DatabaseBackup",
  plural: "databasebackups",
} as const satisfies ApiResource;

/** A change of a Database that was carried out, and what came of it. */
export const revisionResource = {
  group: "example.com",
  kind: "DatabaseRevision",
  plural: "databaserevisions",
} as const satisfies ApiResource;

/** What a change of a Database would do: asked of the operator, and stored nowhere. */
export const previewResource = {
  group: "preview.example.com",
  kind: "DatabasePreview",
  plural: "databasepreviews",
} as const satisfies ApiResource;

/** The version in which previews are asked for. */
export const previewVersion = "v1alpha1";

/** The APIService by which the API server finds who answers them. */
export const previewApiService = `${previewVersion}.${previewResource.group}`;

/** Kinds that are translated to Databases. */
export const companionResources = {
  postgreSQLCluster: { group: "postgres.example.com", kind: "PostgreSQLCluster", plural: "postgresqlclusters" },
  sampleDB: { group: "database.example.com", kind: "SampleDB", plural: "sampledbs" },
} as const satisfies Readonly<Record<string, ApiResource>>;

/** Before the `/` in the keys of labels and annotations, and in the name of the finalizer. */
export const keyPrefix = "database.example.com";
