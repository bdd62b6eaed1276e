import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { gzipSync } from "node:zlib";
import { clientFile, meaningOf, verify } from "./dump";

async function verified(content: Buffer): Promise<unknown> {
  const directory = await mkdtemp(join(tmpdir(), "dump-"));
  const file = join(directory, "dump.sql.gz");
  await writeFile(file, content);
  try {
    return await verify(file);
  } finally {
    await rm(directory, { recursive: true });
  }
}

const whole = gzipSync(`${"INSERT;\n".repeat(50_000)}-- Dump completed on some day\n`);

test("a dump with the last line of a complete one is complete", async () => {
  const found = (await verified(whole)) as { bytes: number; sha256: string };
  assert.equal(found.bytes, whole.length);
  assert.match(found.sha256, /^[0-9a-f]{64}$/);
});

test("a truncated dump is refused, as a file or as text", async () => {
  await assert.rejects(verified(whole.subarray(0, whole.length - 20)), /unexpected end of file/);
  await assert.rejects(verified(gzipSync("INSERT;\n")), /not complete/);
});

test("a damaged dump is refused", async () => {
  const damaged = Buffer.from(whole);
  damaged.writeUInt32LE((damaged.readUInt32LE(whole.length - 8) ^ 1) >>> 0, whole.length - 8);
  await assert.rejects(verified(damaged), /incorrect data check/);
});

test("every character of a password survives the client's file", () => {
  const text = clientFile({ host: "h", port: 1, user: "u", password: 'a"b\\c#d' });
  assert.ok(text.includes(String.raw`password="a\"b\\c#d"`), text);
});

test("a table that was changed meanwhile is named, and any other message is left unchanged", () => {
  for (const said of [
    "Error 1412: Table definition has changed, please retry transaction when dumping table `items` at row: 0",
    "Error in field count for table: `items` !  Aborting.",
    "Couldn't execute 'SELECT /*!40001 SQL_NO_CACHE */ * FROM `items`': Deadlock found when trying to get lock; try restarting transaction (1213)",
    "Couldn't execute 'show create table `items`': Table 'app.items' doesn't exist (1146)",
  ])
    assert.match(
      meaningOf(`mysqldump: [Warning] some\nmysqldump: ${said}\n`),
      /^the table items was changed after the dump began.*another attempt/,
    );
  assert.match(meaningOf("mysqldump: Got error: 2013: Lost connection"), /see its message above/);
});
