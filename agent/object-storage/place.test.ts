import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { afterEach, beforeEach } from "node:test";
import { backupFiles } from "../../contract/object-storage";
import { keyIn, locationOf, placeOfPod } from "./place";

const { credentials, encryption } = backupFiles;
let root = "";

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "place-"));
  for (const { directory } of [credentials, encryption]) await mkdir(join(root, directory), { recursive: true });
});
afterEach(async () => {
  delete process.env["BACKUP_STORAGE"];
  await rm(root, { recursive: true });
});

test("a key has no line's end; a passphrase has all else that was written", async () => {
  await writeFile(join(root, credentials.directory, credentials.id), " one \n");
  await writeFile(join(root, encryption.directory, encryption.file), " pass phrase \n\n");
  assert.equal(await keyIn(credentials.directory, credentials.id, root), "one");
  assert.equal(await keyIn(encryption.directory, encryption.file, root), " pass phrase ");
});

test("a Secret without its key is named by its purpose", async () => {
  await assert.rejects(keyIn(credentials.directory, credentials.secret, root), {
    message: "the Secret for the credentials of the object storage has no key secretAccessKey: add it",
  });
  await writeFile(join(root, encryption.directory, encryption.file), "\n");
  await assert.rejects(
    keyIn(encryption.directory, encryption.file, root),
    /for the encryption .* has no key passphrase/,
  );
});

test("a place is what the components write, with the region that is usual", () => {
  const written = { bucket: "backups", prefix: "prod/shop/orders", endpoint: "https://s3", credentials: "s3" };
  process.env["BACKUP_STORAGE"] = JSON.stringify(written);
  const place = placeOfPod();
  assert.deepEqual([place.region, place.pathStyle, place.encryption], ["us-east-1", false, undefined]);
  assert.equal(locationOf(place), "s3://backups/prod/shop/orders");
});
