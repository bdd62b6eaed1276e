// Who asks, by what the API server says of it: it has authenticated the person, and shows a certificate of its own with the request.
import { X509Certificate } from "node:crypto";
import { z } from "zod";

/** By what a request from the API server is known, as the ConfigMap `extension-apiserver-authentication` has it. */
export interface FrontProxy {
  /** Fingerprints of the authorities that sign its certificate. */
  readonly authorities: ReadonlySet<string>;
  /** Names that its certificate may have; none: every name. */
  readonly names: readonly string[];
  readonly usernameHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraPrefixes: readonly string[];
  /** The authorities, in PEM. */
  readonly bundle: string;
}

/** What a client has shown of itself, where its certificate is good. */
export interface ShownCertificate {
  readonly commonName: string;
  /** Fingerprints of the certificates that bear its own out, up to the authority. */
  readonly issuers: readonly string[];
}

/** Who the API server says it is. */
export interface User {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** Names of headers in lower case, values as Node hands them out: a character for each byte. */
export type Headers = Readonly<Record<string, readonly string[] | undefined>>;

const Names = z
  .string()
  .default("[]")
  .transform((text) => z.array(z.string()).parse(JSON.parse(text)));
const Settings = z.object({
  "requestheader-client-ca-file": z.string().min(1),
  "requestheader-allowed-names": Names,
  "requestheader-username-headers": Names,
  "requestheader-uid-headers": Names,
  "requestheader-group-headers": Names,
  "requestheader-extra-headers-prefix": Names,
});

/** Undefined where this API server says of no person who it is. Throws for what cannot be read. */
export function frontProxyOf(data: Readonly<Record<string, string>>): FrontProxy | undefined {
  if (data["requestheader-client-ca-file"] === undefined) return undefined;
  const settings = Settings.parse(data);
  const bundle = settings["requestheader-client-ca-file"];
  const lower = (names: readonly string[]): string[] => names.map((name) => name.toLowerCase());
  return {
    bundle,
    authorities: fingerprintsIn(bundle),
    names: settings["requestheader-allowed-names"],
    usernameHeaders: lower(settings["requestheader-username-headers"]),
    uidHeaders: lower(settings["requestheader-uid-headers"]),
    groupHeaders: lower(settings["requestheader-group-headers"]),
    extraPrefixes: lower(settings["requestheader-extra-headers-prefix"]),
  };
}

/** Of the certificates in a text of PEM. */
export const fingerprintsIn = (bundle: string): ReadonlySet<string> =>
  new Set(
    [...bundle.matchAll(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g)].map(
      ([text]) => new X509Certificate(text).fingerprint256,
    ),
  );

/** Undefined where the request does not come from the API server, or names no user: its headers say nothing then. */
export function userOf(
  headers: Headers,
  shown: ShownCertificate | undefined,
  proxy: FrontProxy | undefined,
): User | undefined {
  if (proxy === undefined || shown === undefined || !isProxy(shown, proxy)) return undefined;
  const values = decoded(headers, proxy);
  return values && userIn(values, proxy);
}

function userIn(headers: Headers, proxy: FrontProxy): User | undefined {
  const first = (names: readonly string[]): string | undefined =>
    names.map((name) => headers[name]?.[0]).find((value) => value !== undefined && value !== "");
  const username = first(proxy.usernameHeaders);
  if (username === undefined) return undefined;
  const uid = first(proxy.uidHeaders);
  const groups = proxy.groupHeaders.flatMap((name) => headers[name] ?? []);
  return { username, ...(uid !== undefined && { uid }), groups, extra: extraIn(headers, proxy) };
}

/**
 * The API server sends names as they are, in UTF-8; byte by byte they would be those of another person. Where one is no UTF-8 it is not known
 * who asks: undefined.
 */
function decoded(headers: Headers, proxy: FrontProxy): Headers | undefined {
  const { usernameHeaders, uidHeaders, groupHeaders, extraPrefixes } = proxy;
  const named = new Set([...usernameHeaders, ...uidHeaders, ...groupHeaders]);
  const ofUser = Object.entries(headers).filter(
    ([name]) => named.has(name) || extraPrefixes.some((prefix) => name.startsWith(prefix)),
  );
  const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const textOf = (value: string): string => utf8.decode(Buffer.from(value, "latin1"));
  try {
    return Object.fromEntries(ofUser.map(([name, values]) => [name, values?.map(textOf)]));
  } catch {
    return undefined;
  }
}

const isProxy = ({ commonName, issuers }: ShownCertificate, { authorities, names }: FrontProxy): boolean =>
  issuers.some((issuer) => authorities.has(issuer)) && (names.length === 0 || names.includes(commonName));

function extraIn(headers: Headers, { extraPrefixes }: FrontProxy): Record<string, readonly string[]> {
  const entries = Object.entries(headers).flatMap(([name, values]) => {
    const prefix = extraPrefixes.find((one) => name.startsWith(one));
    return prefix === undefined || values === undefined ? [] : [[keyOf(name.slice(prefix.length)), values] as const];
  });
  return Object.fromEntries(entries);
}

/** The API server escapes what a header cannot be called. */
function keyOf(escaped: string): string {
  try {
    return decodeURIComponent(escaped);
  } catch {
    return escaped;
  }
}
