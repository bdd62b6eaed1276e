// A bucket by the SDK of S3. To load it takes memory and time, so that programs do that where they need it (`open.ts`).
import { createHash } from "node:crypto";
import { Agent } from "node:https";
import { setTimeout as delay } from "node:timers/promises";
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import { NodeHttpHandler } from "@smithy/node-http-handler";
import { log } from "../log";
import type { Bucket, Listed } from "./bucket";
import { failureOf, isAbsent, isPassing, type Sent } from "./failure";
import { locationOf, type Keys, type Place } from "./place";

/** What opens it. */
export interface Access {
  /** Asked before each request. */
  readonly keys: () => Promise<Keys>;
  /** PEM; undefined: the usual authorities. */
  readonly authority: string | undefined;
  /** How long it may take to connect, and how long nothing may come, in milliseconds. Default: a minute. */
  readonly patienceMs?: number;
  /** For how long what may pass is tried again, in milliseconds. Default: two minutes, as a copy that has taken hours must not be lost by less. */
  readonly outageMs?: number;
}

/** By the client itself, within a second or so: it gives up sooner where many requests fail. */
const quickAttempts = 3;

/** Between attempts after that, in milliseconds. */
const pauses = { first: 1_000, longest: 15_000 } as const;

/** Beyond any number of requests at once. */
const maxSockets = 8;

/** See the header. */
export class S3Bucket implements Bucket {
  readonly location: string;
  readonly #client: S3Client;
  readonly #sent: Sent;
  readonly #outageMs: number;

  constructor(
    private readonly place: Place,
    { keys, authority, patienceMs = 60_000, outageMs = 120_000 }: Access,
  ) {
    const { endpoint, region, pathStyle, bucket } = place;
    this.location = locationOf(place);
    this.#sent = { endpoint, region, bucket };
    this.#outageMs = outageMs;
    this.#client = new S3Client({
      endpoint,
      region,
      forcePathStyle: pathStyle,
      maxAttempts: quickAttempts,
      credentials: async () => {
        const { id, secret } = await keys();
        // what ends soon is asked for again
        return { accessKeyId: id, secretAccessKey: secret, expiration: new Date() };
      },
      // not all servers know those that it would add by itself
      requestChecksumCalculation: "WHEN_REQUIRED",
      responseChecksumValidation: "WHEN_REQUIRED",
      requestHandler: new NodeHttpHandler({
        connectionTimeout: Math.min(10_000, patienceMs),
        socketTimeout: patienceMs,
        httpsAgent: new Agent({ keepAlive: true, maxSockets, ...(authority !== undefined && { ca: authority }) }),
      }),
    });
  }

  async put(name: string, body: Uint8Array): Promise<void> {
    // what arrives as something else is refused
    const digest = createHash("md5").update(body).digest("base64");
    const command = new PutObjectCommand({ ...this.#of(name), Body: body, ContentMD5: digest });
    await this.#asked(`put ${name}`, () => this.#client.send(command));
  }

  get(name: string): Promise<Buffer | undefined> {
    return this.#asked(`get ${name}`, async () => {
      try {
        const { Body: body } = await this.#client.send(new GetObjectCommand(this.#of(name)));
        return body === undefined ? Buffer.alloc(0) : viewOf(await body.transformToByteArray());
      } catch (error) {
        if (isAbsent(error)) return undefined;
        throw error;
      }
    });
  }

  async *list(prefix: string): AsyncIterable<Listed> {
    for await (const { Contents: contents = [] } of this.#pages(prefix))
      for (const { Key: key = "", Size: bytes = 0 } of contents) yield { name: this.#nameOf(key), bytes };
  }

  async directories(prefix: string): Promise<readonly string[]> {
    const found: string[] = [];
    for await (const { CommonPrefixes: prefixes = [] } of this.#pages(prefix, "/"))
      for (const { Prefix: one = "" } of prefixes) found.push(this.#nameOf(one).slice(prefix.length, -1));
    return found;
  }

  async remove(name: string): Promise<void> {
    await this.#asked(`delete ${name}`, async () => {
      try {
        await this.#client.send(new DeleteObjectCommand(this.#of(name)));
      } catch (error) {
        if (!isAbsent(error)) throw error;
      }
    });
  }

  /** Ends its connections. */
  close(): void {
    this.#client.destroy();
  }

  #of(name: string): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.place.bucket, Key: this.#below(name) };
  }

  #below(name: string): string {
    return this.place.prefix === "" ? name : `${this.place.prefix}/${name}`;
  }

  #nameOf(key: string): string {
    return key.slice(this.#below("").length);
  }

  async *#pages(prefix: string, delimiter?: string): AsyncIterable<Page> {
    let token: string | undefined;
    do {
      const command = new ListObjectsV2Command({
        Bucket: this.place.bucket,
        Prefix: this.#below(prefix),
        Delimiter: delimiter,
        ContinuationToken: token,
      });
      const page = await this.#asked(`list ${prefix}`, () => this.#client.send(command));
      yield page;
      token = page.NextContinuationToken;
    } while (token !== undefined);
  }

  async #asked<T>(doing: string, request: () => Promise<T>): Promise<T> {
    const begun = performance.now();
    for (let pauseMs: number = pauses.first; ; pauseMs = Math.min(2 * pauseMs, pauses.longest)) {
      try {
        return await request();
      } catch (error) {
        const failure = failureOf(error, `${doing} in ${this.location}`, this.#sent);
        if (!isPassing(failure) || performance.now() - begun + pauseMs > this.#outageMs) throw failure;
        log("trying it again", { why: failure.message });
      }
      await delay(pauseMs);
    }
  }
}

/** The same bytes: an object has up to 16 MiB. */
const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, byteLength);

interface Page {
  readonly Contents?: readonly { readonly Key?: string; readonly Size?: number }[];
  readonly CommonPrefixes?: readonly { readonly Prefix?: string }[];
}
