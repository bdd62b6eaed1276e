// The files of a directory as one compressed stream, and back.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { constants, createZstdCompress, createZstdDecompress } from "node:zlib";
import { textOf } from "../../log";
import { ProgramFailed } from "../../restore/output";
import { cleanEnvironment } from "../../supervise/run";

/** Level 3: what there is more to gain takes several times as long. */
const compression = { params: { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_checksumFlag]: 1 } };

const tar = "tar";

/** In parts of so many bytes, and a rest. Throws where a file cannot be read. */
export async function* packed(directory: string, partBytes: number): AsyncIterable<Buffer> {
  // pages that the server compresses leave holes
  const args = ["--create", "--file=-", "--format=posix", "--sparse", `--directory=${directory}`, "."];
  const child = spawn(tar, args, { stdio: ["ignore", "pipe", "pipe"], env: surroundings() });
  const end = endOf(child, child.stderr);
  const stream = createZstdCompress(compression);
  const flow = pipeline(child.stdout, stream);
  // these are looked at once all has been read
  for (const later of [flow, end]) later.catch(() => undefined);
  try {
    yield* partsOf(stream, partBytes);
    await flow;
    await end;
  } finally {
    stream.destroy();
    child.kill("SIGKILL");
  }
}

/** Cuts a stream. */
export async function* partsOf(stream: AsyncIterable<unknown>, partBytes: number): AsyncIterable<Buffer> {
  let [chunks, bytes]: [Buffer[], number] = [[], 0];
  for await (const some of stream) {
    let chunk = some as Buffer;
    while (bytes + chunk.length >= partBytes) {
      yield Buffer.concat([...chunks, chunk.subarray(0, partBytes - bytes)]);
      chunk = chunk.subarray(partBytes - bytes);
      [chunks, bytes] = [[], 0];
    }
    chunks.push(chunk);
    bytes += chunk.length;
  }
  if (bytes > 0) yield Buffer.concat(chunks);
}

/** Puts the files of a stream into a directory, which is there. Throws what its source throws, or a ProgramFailed. */
export async function unpack(parts: AsyncIterable<Buffer>, directory: string): Promise<void> {
  const args = ["--extract", "--file=-", `--directory=${directory}`];
  const child = spawn(tar, args, { stdio: ["pipe", "ignore", "pipe"], env: surroundings() });
  const flow = pipeline(
    Readable.from(parts, { objectMode: true, highWaterMark: 1 }),
    createZstdDecompress(),
    child.stdin,
  );
  const [fed, ended] = await Promise.allSettled([flow, endOf(child, child.stderr)]);
  // a program that has ended reads no more, as one does that saw the end of the archive: what it says counts then
  if (fed.status === "rejected" && !isClosed(fed.reason)) throw fed.reason;
  if (ended.status === "rejected") throw ended.reason;
}

const surroundings = (): Record<string, string> => cleanEnvironment({ LC_ALL: "C" });

const isClosed = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (error.code === "EPIPE" || error.code === "ERR_STREAM_PREMATURE_CLOSE");

/** Resolves where it ends well. */
async function endOf(child: ChildProcess, complaints: Readable): Promise<void> {
  const [[code, signal], said] = await Promise.all([
    once(child, "close") as Promise<[number | null, string | null]>,
    text(complaints),
  ]);
  if (code === 0) return;
  const how = signal === null ? "failed" : `was ended by ${signal}`;
  throw new ProgramFailed(tar, code, `${tar} ${how}: ${textOf(said)}`, "");
}
