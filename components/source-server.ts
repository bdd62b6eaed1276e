// A server elsewhere whose data a new Database takes in: what the import Job has of it.
import { sourceAuthority, sourceKeys, sourceVariables } from "../contract/import";
import type { SourceServer } from "./args";
import { filesOf, fromSecret, type Environment, type Volume } from "./pod";

/** Where it is, and as whom to enter. */
export const sourceEnvironment = ({ host, port, databases, credentials, tls, ca }: SourceServer): Environment => ({
  [sourceVariables.host]: host,
  [sourceVariables.port]: String(port),
  [sourceVariables.databases]: JSON.stringify(databases),
  [sourceVariables.username]: fromSecret(credentials, sourceKeys.username),
  [sourceVariables.password]: fromSecret(credentials, sourceKeys.password),
  [sourceVariables.tls]: tls,
  ...(ca !== undefined && { [sourceVariables.authority]: `${sourceAuthority.directory}/${sourceAuthority.file}` }),
});

/** What it is known by. */
export const authorityVolumes = ({ ca }: SourceServer): Volume[] =>
  ca === undefined ? [] : [{ name: "import-ca", secret: { secretName: ca, ...filesOf(sourceAuthority.file) } }];

/** Where. */
export const authorityMounts = ({ ca }: SourceServer): Readonly<Record<string, string>> =>
  ca === undefined ? {} : { "import-ca": sourceAuthority.directory };
