// Keeps certificates: takes them from the Secret that all operators share, issues them where there are none,
// and, while this operator leads, renews them in time.
import { bundleOf, parseSet, secretDataOf, type CertificateSet } from "./certificate-set";
import { issueAuthority, issueServing } from "./issue";
import { nextStep, type CertificateUse, type RotationStep } from "./rotation";

/** Certificates and keys as PEM, by the keys of the Secret. */
export type CertificateData = Readonly<Record<string, string>>;

/** What is in the Secret. */
export interface Stored {
  readonly data: CertificateData;
  /** The store's fence: a replacement of an outdated version fails. */
  readonly version: string;
}

/** Where operators share their certificates. */
export interface CertificateStore {
  /** Undefined where there is nothing. */
  read(): Promise<Stored | undefined>;
  /** Undefined where another client was faster. */
  create(data: CertificateData): Promise<Stored | undefined>;
  replace(data: CertificateData, version: string): Promise<Stored | undefined>;
}

export interface KeeperOptions extends CertificateUse {
  readonly store: CertificateStore;
  /** What is served with where the record of it is lost. Default: what this keeper held last. */
  readonly inUse?: () => Promise<CertificateSet | undefined>;
  readonly now: () => Date;
  readonly isLeading: () => boolean;
  /** Notified of certificates other than the last ones. */
  readonly onChange: (set: CertificateSet) => void;
  /** Called with what was renewed. */
  readonly onRenewal: (what: Renewal) => void;
}

/** A new authority beside the old one, a new serving certificate, or an old authority that is trusted no more. */
export type Renewal = Exclude<RotationStep["kind"], "wait">;

/** How much can be due at once: more than that repeats itself, and no turn must take forever. */
const mostSteps = 8;

/** How often a write is tried that another client's write came before. */
const maxAttempts = 5;

export class CertificateKeeper {
  #held: CertificateSet | undefined;

  constructor(private readonly options: KeeperOptions) {}

  /** The certificates to be used; undefined until there are some. */
  get held(): CertificateSet | undefined {
    return this.#held;
  }

  /**
   * Takes what is shared, and does what is due. To be called when the Secret has changed, and again at the time that it
   * resolves with at the latest; undefined where only another one's deed brings anything. Must not be called twice at
   * once. Rejects where the store cannot be reached.
   */
  async check(): Promise<Date | undefined> {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const stored = (await this.options.store.read()) ?? (await this.#create());
      // another client was faster: what is there now counts
      if (stored === undefined) continue;
      const kept = this.options.isLeading() ? await this.#renewed(stored) : { stored };
      if (kept === undefined) continue;
      const set = parseSet(kept.stored.data);
      if (set !== undefined) this.#hold(set);
      return kept.due;
    }
    throw new Error("certificates keep being overwritten by another client");
  }

  async #create(): Promise<Stored | undefined> {
    const created = await this.options.store.create(secretDataOf(await this.#successor()));
    if (created !== undefined) this.options.onRenewal("introduce");
    return created;
  }

  /**
   * What follows certificates that were deleted or damaged: a new authority, without a break, for the one that is held
   * continues to sign until every client has heard of the new one.
   */
  async #successor(): Promise<CertificateSet> {
    const { terms, now, inUse } = this.options;
    const authority = await issueAuthority(terms, now());
    const former = this.#held ?? (await inUse?.());
    return former === undefined
      ? { authorities: [authority], serving: await issueServing(authority, this.options, now()) }
      : { ...former, authorities: [...former.authorities, authority] };
  }

  /** `stored` with everything done that is due; undefined where another client wrote meanwhile. */
  async #renewed(stored: Stored): Promise<{ stored: Stored; due?: Date } | undefined> {
    const { store, now, onRenewal } = this.options;
    const present = parseSet(stored.data);
    const done: Renewal[] = present === undefined ? ["introduce"] : [];
    let set = present ?? (await this.#successor());
    let step = nextStep(set, this.options, now());
    while (step.kind !== "wait") {
      if (done.length > mostSteps) throw new Error(`certificates do not come to rest: ${step.kind} is due once more`);
      done.push(step.kind);
      set = await this.#after(step, set);
      step = nextStep(set, this.options, now());
    }
    if (done.length === 0) return { stored, due: step.until };
    const replaced = await store.replace(secretDataOf(set), stored.version);
    if (replaced === undefined) return undefined;
    done.forEach(onRenewal);
    return { stored: replaced, due: step.until };
  }

  async #after(step: Exclude<RotationStep, { kind: "wait" }>, set: CertificateSet): Promise<CertificateSet> {
    const { terms, now } = this.options;
    switch (step.kind) {
      case "introduce":
        return { ...set, authorities: [...step.beside, await issueAuthority(terms, now())] };
      case "issue":
        return { ...set, serving: await issueServing(step.signer, this.options, now()) };
      case "retire":
        return { ...set, authorities: step.remaining };
    }
  }

  #hold(set: CertificateSet): void {
    const isSame =
      this.#held !== undefined &&
      bundleOf(this.#held) === bundleOf(set) &&
      this.#held.serving.certificate.trim() === set.serving.certificate.trim();
    this.#held = set;
    if (!isSame) this.options.onChange(set);
  }
}
