// Files of another major version that a member keeps beside those it uses (ADR 48): what members say of them, and when these may go.
import { keyPrefix } from "./resources";

/** The key of the ConfigMap `<name>-config` whose value is a major version: members that run it remove the files of others. */
export const removalKey = "removes-files-beside";

/** The annotation on a member's pod; its value is a KeptFilesNote as JSON. */
export const keptFilesAnnotation = `${keyPrefix}/kept-files`;

/** What a member says. */
export interface KeptFilesNote {
  /** Major version of the files that it uses. */
  readonly major: string;
  /** Major versions of those that are kept beside. */
  readonly kept: readonly string[];
}
