// Where what verbs read lies in the API.
import {
  backupResource,
  databaseResource,
  previewResource,
  previewVersion,
  revisionResource,
  storedVersion,
  type ApiResource,
} from "../../contract/resources";

/** A kind that is read, with the name that rights have for it. */
export interface Kind {
  readonly prefix: string;
  readonly plural: string;
  /** As in a Role, such as `databases.example.com`. */
  readonly right: string;
}

/** As `kubectl -o name` writes it, such as `database.example.com`. */
export const kindOf = ({ right }: Kind): string => right.replace(/^([^.]+)s(?=\.|$)/, "$1");

const own = ({ group, plural }: ApiResource, version: string): Kind => ({
  prefix: `/apis/${group}/${version}`,
  plural,
  right: `${plural}.${group}`,
});

const core = (plural: string): Kind => ({ prefix: "/api/v1", plural, right: plural });

export const kinds = {
  databases: own(databaseResource, storedVersion),
  backups: own(backupResource, storedVersion),
  revisions: own(revisionResource, storedVersion),
  previews: own(previewResource, previewVersion),
  pods: core("pods"),
  events: core("events"),
  namespaces: core("namespaces"),
  /** Who asks. */
  reviews: { prefix: "/apis/authentication.k8s.io/v1", plural: "selfsubjectreviews", right: "" },
  /** Whether who asks may do something. */
  accessReviews: { prefix: "/apis/authorization.k8s.io/v1", plural: "selfsubjectaccessreviews", right: "" },
} as const;

/** Of one namespace, or of all where `namespace` is left out. */
export const collectionOf = ({ prefix, plural }: Kind, namespace?: string): string =>
  namespace === undefined ? `${prefix}/${plural}` : `${prefix}/namespaces/${encodeURIComponent(namespace)}/${plural}`;

export const itemOf = (kind: Kind, namespace: string, name: string): string =>
  `${collectionOf(kind, namespace)}/${encodeURIComponent(name)}`;
