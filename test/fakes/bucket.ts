// A bucket in memory, which can be told what to do at a request.
import type { Bucket, Listed } from "../../agent/object-storage/bucket";

/** See the header. */
export class MemoryBucket implements Bucket {
  readonly location = "s3://backups/prod/shop/orders";
  readonly objects = new Map<string, Buffer>();
  /** What was asked, such as `put mysql/g/backups/orders-…`. */
  readonly asked: string[] = [];
  /** Called before each request; what it throws is what the request fails of. */
  before: (request: string) => void = () => undefined;

  #ask(kind: string, name: string): void {
    this.asked.push(`${kind} ${name}`);
    this.before(`${kind} ${name}`);
  }

  put(name: string, body: Uint8Array): Promise<void> {
    return this.#answer("put", name, () => void this.objects.set(name, Buffer.from(body)));
  }

  get(name: string): Promise<Buffer | undefined> {
    return this.#answer("get", name, () => this.objects.get(name));
  }

  async *list(prefix: string): AsyncIterable<Listed> {
    await this.#answer("list", prefix, () => undefined);
    for (const name of this.names())
      if (name.startsWith(prefix)) yield { name, bytes: this.objects.get(name)?.length ?? 0 };
  }

  directories(prefix: string): Promise<readonly string[]> {
    const names = this.names().filter((name) => name.startsWith(prefix));
    const rests = names.map((name) => name.slice(prefix.length)).filter((rest) => rest.includes("/"));
    return this.#answer("directories", prefix, () => [...new Set(rests.map((rest) => rest.split("/")[0] ?? ""))]);
  }

  remove(name: string): Promise<void> {
    return this.#answer("delete", name, () => void this.objects.delete(name));
  }

  /** Of all objects, sorted. */
  names(): readonly string[] {
    return [...this.objects.keys()].sort();
  }

  async #answer<T>(kind: string, name: string, value: () => T): Promise<T> {
    this.#ask(kind, name);
    await Promise.resolve();
    return value();
  }
}
