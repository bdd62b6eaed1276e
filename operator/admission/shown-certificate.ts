// What a client of the server has shown of itself.
import type { IncomingMessage } from "node:http";
import { TLSSocket } from "node:tls";
import { z } from "zod";
import type { ShownCertificate } from "../preview-api/front-proxy";

/** Undefined where it showed none, or one that none of the server's authorities bears out. */
export function shownBy({ socket }: Pick<IncomingMessage, "socket">): ShownCertificate | undefined {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined;
  const own = socket.getPeerCertificate(true);
  const { CN: commonName } = own.subject;
  return { commonName: typeof commonName === "string" ? commonName : "", issuers: issuersOf(own.issuerCertificate) };
}

const Issuer = z.object({ fingerprint256: z.string(), issuerCertificate: z.unknown() });

/** Up to the authority, which is its own issuer, or has none that is known. */
function issuersOf(first: unknown): string[] {
  const found = new Set<string>();
  let issuer = Issuer.safeParse(first).data;
  while (issuer !== undefined && !found.has(issuer.fingerprint256)) {
    found.add(issuer.fingerprint256);
    issuer = Issuer.safeParse(issuer.issuerCertificate).data;
  }
  return [...found];
}
