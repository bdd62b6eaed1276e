// The session of a console on the person's own machine: begun by a link that works once, and over when the program ends.
import { randomBytes } from "node:crypto";
import { isSame } from "../web/form-token";

/** Milliseconds in which the link must be used. */
const linkMs = 10 * 60_000;

const secret = (bytes: number): string => randomBytes(bytes).toString("base64url");

export class LocalSession {
  /**
   * The path that all is below. Browsers send the cookie of 127.0.0.1 to every server there, whatever its port; but none below this path, which only
   * this one knows.
   */
  readonly base = `/${secret(12)}`;
  /** What the cookie holds. */
  readonly id = secret(32);
  readonly #token = secret(32);
  readonly #until: number;
  #isUsed = false;

  constructor(readonly now: () => Date) {
    this.#until = now().getTime() + linkMs;
  }

  /** The link that begins it, below an origin. */
  linkAt(origin: string): string {
    return `${origin}${this.base}/enter?token=${this.#token}`;
  }

  /** Whether the token is that of the link, for the first time, and soon enough. */
  enter(token: string): boolean {
    if (this.#isUsed || this.now().getTime() > this.#until || !isSame(token, this.#token)) return false;
    this.#isUsed = true;
    return true;
  }

  /** Whether a cookie is that of this session. */
  isOpenTo(cookie: string | undefined): boolean {
    return this.#isUsed && cookie !== undefined && isSame(cookie, this.id);
  }
}
