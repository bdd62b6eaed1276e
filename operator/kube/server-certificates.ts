// What members of each Database are known by: issued by an authority of that Database's own, whose key stays in the operator's namespace.
import { authoritySecretName, certificateHosts, renewalFieldManager, tlsSecretName } from "../../components/naming";
import { tlsKeys } from "../../contract/tls";
import {
  bundleOf,
  fingerprintOf,
  isSignedBy,
  lifeOf,
  parseIdentity,
  parseSet,
  subjectOf,
  type CertificateSet,
} from "../certificates/certificate-set";
import { CertificateKeeper, type CertificateStore } from "../certificates/keeper";
import type { CertificateTerms } from "../certificates/rotation";
import type { ChildName } from "../domain/children";
import type { ServerPem } from "../domain/desired";
import { placeOf, type Key } from "../domain/key";
import type { Issued, ServerCertificates } from "../domain/ports";
import { stackOf } from "../domain/stack-names";
import type { KubeClient } from "./client";
import { createCertificateStore, type CertificateSecret } from "./certificate-store";
import { namespaceUid, ownerAnnotation } from "./namespace-uid";
import { decoded, encode, Secret, type Store } from "./operator-secrets";
import { item, resources } from "./paths";

/** On what terms certificates are issued, and by which time. */
export interface Issuing {
  readonly terms: CertificateTerms;
  readonly now: () => Date;
  /** Whether what is there stays as it is, due or not. Default: false. */
  readonly looksOnly?: true;
}

export function createServerCertificates(store: Store, { terms, now, looksOnly }: Issuing): ServerCertificates {
  const { client, namespace } = store;
  const recordOf = (key: Key): string => `certificates.${stackOf(key)}`;
  return {
    async ensure(key, { existing, isFirst = false, published } = {}) {
      const place = placeOf(key);
      // who previews need not be let read it, and writes nothing
      const owner = looksOnly ? undefined : await namespaceUid(client, place.namespace);
      const secret = secretOf(recordOf(key), owner, isFirst);
      const kept = createCertificateStore({ common: client, client, namespace }, secret);
      const keeper = new CertificateKeeper({
        store: looksOnly ? ofWhole(kept) : byRightClock(kept, client),
        hosts: certificateHosts(place.name, place.namespace),
        ...{ terms, now },
        ...(published !== undefined && { knownSince: (issued) => timeIn(published, fingerprintOf(issued)) }),
        inUse: async () => ownOf(await inUse(store, key, existing), terms),
        // the client writes only while this operator leads
        isLeading: () => looksOnly !== true,
        onChange: () => undefined,
        onRenewal: () => undefined,
      });
      const due = await keeper.check();
      if (keeper.held === undefined) throw new Error(`there are no certificates for ${key}`);
      return issuedFrom(keeper.held, due ?? now());
    },
    async isPublished(key, { pem }) {
      const shown = publishedIn(key, pem).map(async ([path, texts]) => {
        const found = await client.find(path);
        const data = found === undefined ? {} : decoded(Secret.parse(found));
        return Object.entries(texts).every(([file, text]) => data[file] === text);
      });
      return (await Promise.all(shown)).every(Boolean);
    },
    async publish(key, { pem }) {
      for (const [path, texts] of publishedIn(key, pem)) {
        const data = Object.fromEntries(Object.entries(texts).map(([file, text]) => [file, encode(text)]));
        await client.mergePatch(path, { data }, renewalFieldManager);
      }
    },
    async remove(key) {
      await client.delete(item(resources.secrets, namespace, recordOf(key)));
    },
  };
}

type Texts = Readonly<Record<string, string>>;

/** What clients trust comes first: so it has what signs for the members, whatever keeps the other from being written. */
function publishedIn(key: Key, { authorities, certificate, key: secret }: ServerPem): readonly [path: string, Texts][] {
  const { namespace, name } = placeOf(key);
  const pathOf = (of: string): string => item(resources.secrets, namespace, of);
  const trusted = { [tlsKeys.authorities]: authorities };
  return [
    [pathOf(authoritySecretName(name)), trusted],
    [pathOf(tlsSecretName(name)), { ...trusted, [tlsKeys.certificate]: certificate, [tlsKeys.key]: secret }],
  ];
}

function timeIn(published: Readonly<Record<string, string>>, fingerprint: string): Date | undefined {
  const time = published[fingerprint];
  return time === undefined ? undefined : new Date(time);
}

/** So much the clock may differ from the API server's, in milliseconds: by more, what it issues is not good for those who are shown it. */
const mostSkewMs = 300_000;

/** Writes nothing by a clock that is wrong. */
function byRightClock(store: CertificateStore, client: Pick<KubeClient, "aheadMs">): CertificateStore {
  const check = (): void => {
    const { aheadMs = 0 } = client;
    const ahead = `${Math.round(aheadMs / 1000)} s ahead of the API server's`;
    if (Math.abs(aheadMs) > mostSkewMs) throw new Error(`no certificate is issued: the clock is ${ahead}`);
  };
  return {
    read: () => store.read(),
    create: (data) => {
      check();
      return store.create(data);
    },
    replace: (data, version) => {
      check();
      return store.replace(data, version);
    },
  };
}

/** What cannot be read is as if it were not there. */
const ofWhole = (store: CertificateStore): CertificateStore => ({
  read: async () => {
    const stored = await store.read();
    return stored !== undefined && parseSet(stored.data) !== undefined ? stored : undefined;
  },
  create: (data) => store.create(data),
  replace: (data, version) => store.replace(data, version),
});

/** What was issued for a namespace that is gone is not for one that has its name. */
const secretOf = (name: string, owner: string | undefined, isFirst: boolean): CertificateSecret => ({
  name,
  ...(owner !== undefined && { annotations: { [ownerAnnotation]: owner } }),
  ...(isFirst && { counts: (annotations) => annotations[ownerAnnotation] === owner }),
});

function issuedFrom(set: CertificateSet, due: Date): Issued {
  const { serving, authorities } = set;
  const newest = authorities.at(-1) ?? serving;
  return {
    pem: { authorities: bundleOf(set), certificate: serving.certificate, key: serving.key },
    issuance: {
      due: due.toISOString(),
      certificateFrom: lifeOf(serving).from.toISOString(),
      certificateUntil: lifeOf(serving).until.toISOString(),
      authorityUntil: lifeOf(newest).until.toISOString(),
    },
    fingerprints: [serving, ...authorities].map(fingerprintOf),
  };
}

/** Without authorities that are not ours, such as one that was written there by hand. */
function ownOf(set: CertificateSet | undefined, { subject }: CertificateTerms): CertificateSet | undefined {
  if (set === undefined) return undefined;
  const isOwn = (one: CertificateSet["serving"]): boolean =>
    subjectOf(one).startsWith(`CN=${subject} `) || isSignedBy(set.serving, one, []);
  return { ...set, authorities: set.authorities.filter(isOwn) };
}

/** What members show, and clients trust, where the record of it is lost: both continue with that. */
async function inUse({ client }: Store, key: Key, ours?: ReadonlySet<ChildName>): Promise<CertificateSet | undefined> {
  const { namespace, name } = placeOf(key);
  const secret = tlsSecretName(name);
  if (ours !== undefined && !ours.has(`Secret ${secret}`)) return undefined;
  const found = await client.find(item(resources.secrets, namespace, secret));
  return found === undefined ? undefined : parseIdentity(decoded(Secret.parse(found)));
}
