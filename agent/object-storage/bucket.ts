// A bucket of object storage, as programs see it: names below one place, and what lies under them.

/** What a listing has of an object. */
export interface Listed {
  readonly name: string;
  readonly bytes: number;
}

/** See the header. Names are relative to the place. What fails throws a StorageFailure. */
export interface Bucket {
  /** Where it is, for people: such as `s3://backups/prod/shop/orders`. */
  readonly location: string;
  /** Puts an object, in the place of the one of that name, where there is one. It is there as a whole or not at all. */
  put(name: string, body: Uint8Array): Promise<void>;
  /** Undefined where there is none. */
  get(name: string): Promise<Buffer | undefined>;
  /** All below a prefix, sorted by their names. */
  list(prefix: string): AsyncIterable<Listed>;
  /** The names that follow a prefix, up to a slash, where one comes: directories, as it were; sorted. */
  directories(prefix: string): Promise<readonly string[]>;
  /** It is well where there is none. */
  remove(name: string): Promise<void>;
}
