// What a member does with the files that it finds, before its server may start with them (ADR 48): pure. No order of starts is needed for it.
import type { Exchange } from "../upgrade/plan";

/** What is found. */
export interface FilesFound {
  /** Major version of the member's server. */
  readonly server: string;
  /** The files where the server looks for them; undefined where there are none. Identifiers are those of clusters. */
  readonly data: { readonly major: string; readonly identifier: string } | undefined;
  /** Those that are kept beside them. */
  readonly kept: readonly { readonly major: string; readonly identifier: string }[];
  /** On the volume of the first member. */
  readonly exchange: Exchange | undefined;
  /** Of the cluster that counts; undefined where none does yet. */
  readonly initialized: string | undefined;
  /** Whether a member leads it. */
  readonly hasLeader: boolean;
}

/** What is done. */
export type FilesStep =
  | { readonly kind: "start" }
  /** The cluster of this identifier counts from now on, where the former one still does. */
  | { readonly kind: "announce"; readonly former: string; readonly present: string }
  /** Those of this major version are put aside; then those of the other one that are kept come into their place. */
  | { readonly kind: "move aside"; readonly major: string; readonly takesUp: string | undefined }
  | { readonly kind: "wait"; readonly why: string };

const start: FilesStep = { kind: "start" };
const wait = (why: string): FilesStep => ({ kind: "wait", why });

/** See the header. */
export function stepOf(found: FilesFound): FilesStep {
  const { server, data, initialized, exchange } = found;
  if (data === undefined) return withoutFiles(found);
  if (data.major !== server) return aside(data, found);
  const isExchanged = exchange?.to === data.major && exchange.present === data.identifier;
  if (!isExchanged || initialized === exchange.present) return start;
  return initialized === exchange.former
    ? { kind: "announce", former: exchange.former, present: exchange.present }
    : start;
}

/** Where none are but those that are kept, what takes their place is no new cluster. */
function withoutFiles(found: FilesFound): FilesStep {
  const { server, kept, initialized } = found;
  const [one] = kept;
  if (one !== undefined && initialized === undefined)
    return wait(
      `there are no files but those that are kept of PostgreSQL ${one.major}, and no cluster is known that counts: move them into their place, or away`,
    );
  return takesUp(found) === undefined ? start : putAside("", found, server);
}

/** A replica follows with files of before: with none that leads it could only be in the way of the first member. */
function putAside(major: string, { exchange, hasLeader }: FilesFound, takesUp: string | undefined): FilesStep {
  if (takesUp !== undefined && exchange === undefined && !hasLeader)
    return wait(`the files that are kept of PostgreSQL ${takesUp} are taken up once another member leads`);
  return { kind: "move aside", major, takesUp };
}

/** Those that are kept, of this server, and of the cluster that counts: a replica that comes back to them need not be copied again. */
const takesUp = ({ kept, server, initialized }: FilesFound): string | undefined =>
  kept.find(({ major, identifier }) => major === server && identifier === initialized)?.major;

function aside(data: NonNullable<FilesFound["data"]>, found: FilesFound): FilesStep {
  const { server, initialized, kept } = found;
  const what = `the files are of PostgreSQL ${data.major}, and the server is of ${server}`;
  if (initialized === undefined) return wait(`${what}; no cluster is known that counts instead`);
  if (initialized === data.identifier)
    return wait(`${what}: write the version that they are of; they are upgraded by a change of spec.version alone`);
  if (kept.some(({ major }) => major === data.major))
    return wait(`${what}, of which others are kept already: move one of both away, or confirm the version that runs`);
  return putAside(data.major, found, takesUp(found));
}
