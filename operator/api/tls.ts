// TLS between clients, members and what connects to them: a part of the spec.
import { z } from "zod";
import { enginesThat, titlesOf, type EngineName } from "../../contract/engines";
import { serverTlsModes } from "../../contract/tls";
import { isNoneOf, type CheckedRule } from "./rules";

const able = enginesThat(({ canHaveTls }) => canHaveTls);
const unable = enginesThat(({ canHaveTls }) => !canHaveTls);

/** See its description. */
export const Tls = z
  .object({
    mode: z.enum(serverTlsModes).optional().meta({
      description:
        "Require: a connection over the network without TLS is refused, and members check each other. Prefer: both are taken. Off: there is no TLS. Default: what the Database began with: Require, or Off where its first run was of a release that did not know this field. To and from Off, and to and from Require, members restart, one at a time; from Off to Require, or back, they do so twice.",
    }),
  })
  .meta({
    description: `${titlesOf(able)} only: TLS of connections over the network. The operator issues certificates and renews them without a restart; clients find what to trust in the Secret <name>-ca.`,
  });

/** A rule of the whole spec. */
export const hasTlsForIt: CheckedRule<{
  readonly engine: EngineName;
  readonly tls?: z.output<typeof Tls> | undefined;
}> = {
  rule: `!has(self.tls) || ${isNoneOf(unable)}`,
  message: `is for ${titlesOf(able)}; leave it out`,
  fieldPath: ".tls",
  holds: ({ engine, tls }) => tls === undefined || able.includes(engine),
};
