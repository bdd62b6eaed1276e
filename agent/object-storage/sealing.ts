// How objects are encrypted: each as a whole, by a key of its own, that follows from the passphrase, two salts and its name.
//
// An object: "DBS1", the salt of the passphrase's key, its own salt, a check value of that key, then AES-256-GCM's text and tag. All before the text is
// authenticated with it. As no two objects have a key in common, the nonce is constant.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, scryptSync } from "node:crypto";

const magic = Buffer.from("DBS1");
const saltBytes = 16;
const checkBytes = 8;
const tagBytes = 16;
const headBytes = magic.length + 2 * saltBytes + checkBytes;
const cipher = "aes-256-gcm";
const nonce = Buffer.alloc(12);
/** 32 MiB of memory, some 0.1 s. */
const cost = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 ** 2 };

/** What opens what it has sealed. */
export interface Sealer {
  /** Bytes that it adds to an object. */
  readonly overhead: number;
  seal(name: string, text: Uint8Array): Buffer;
  /** Throws a Misfit, or a Damaged. */
  open(name: string, sealed: Buffer): Buffer;
}

/** What lies there was written with another passphrase, or without one, or with one. */
export class Misfit extends Error {
  override readonly name = "Misfit";

  constructor() {
    super(
      "what lies there does not fit spec.backup.encryption: it was written with another passphrase, or without one. Put the former Secret back, or write another prefix, where new backups begin",
    );
  }
}

/** It is not what was sealed. */
export class Damaged extends Error {
  override readonly name = "Damaged";
}

/** Undefined: nothing is encrypted. */
export const sealerFor = (passphrase: string | undefined): Sealer =>
  passphrase === undefined ? plain : new PassphraseSealer(passphrase);

const isSealed = (object: Buffer): boolean => object.subarray(0, magic.length).equals(magic);

const plain: Sealer = {
  overhead: 0,
  seal: (_name, text) => Buffer.from(text.buffer, text.byteOffset, text.byteLength),
  open(_name, object) {
    if (isSealed(object)) throw new Misfit();
    return object;
  },
};

class PassphraseSealer implements Sealer {
  readonly overhead = headBytes + tagBytes;
  readonly #salt = randomBytes(saltBytes);
  readonly #keys = new Map<string, Buffer>();

  constructor(private readonly passphrase: string) {}

  seal(name: string, text: Uint8Array): Buffer {
    const own = randomBytes(saltBytes);
    const main = this.#keyBy(this.#salt);
    const head = Buffer.concat([magic, this.#salt, own, checkOf(main)]);
    const sealing = createCipheriv(cipher, keyOf(main, own, name), nonce).setAAD(head);
    return Buffer.concat([head, sealing.update(text), sealing.final(), sealing.getAuthTag()]);
  }

  open(name: string, sealed: Buffer): Buffer {
    // nothing that is sealed is so short, nor is what says of a backup what it is without a passphrase
    if (sealed.length < headBytes + tagBytes) throw new Damaged(`${name} is cut off`);
    if (!isSealed(sealed)) throw new Misfit();
    const head = sealed.subarray(0, headBytes);
    const ownAt = magic.length + saltBytes;
    const main = this.#keyBy(sealed.subarray(magic.length, ownAt));
    if (!checkOf(main).equals(head.subarray(-checkBytes))) throw new Misfit();
    const own = sealed.subarray(ownAt, ownAt + saltBytes);
    const opening = createDecipheriv(cipher, keyOf(main, own, name), nonce, { authTagLength: tagBytes })
      .setAAD(head)
      .setAuthTag(sealed.subarray(-tagBytes));
    try {
      return Buffer.concat([opening.update(sealed.subarray(headBytes, -tagBytes)), opening.final()]);
    } catch (error) {
      throw new Damaged(`${name} is not what was written under that name`, { cause: error });
    }
  }

  /** Made once for each salt: an attempt writes with one, and reads those of others. */
  #keyBy(salt: Buffer): Buffer {
    const name = salt.toString("hex");
    const found = this.#keys.get(name) ?? scryptSync(this.passphrase, salt, 32, cost);
    this.#keys.set(name, found);
    return found;
  }
}

const derived = (main: Buffer, salt: Buffer, purpose: string, bytes: number): Buffer =>
  Buffer.from(hkdfSync("sha256", main, salt, purpose, bytes));

const keyOf = (main: Buffer, salt: Buffer, name: string): Buffer =>
  derived(main, salt, `database backup object ${name}`, 32);

/** By which another passphrase is told from damage. */
const checkOf = (main: Buffer): Buffer => derived(main, Buffer.alloc(0), "database backup check", checkBytes);
