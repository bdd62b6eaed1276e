// A process that begins to create a kept directory and never ends by itself; for a test that kills it.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { provideKept } from "./kept";

async function main(directory = ""): Promise<void> {
  await provideKept(directory, async (draft) => {
    await writeFile(join(draft, "content"), "half of it");
    console.log("begun");
    await new Promise(() => setInterval(() => undefined, 60_000));
  });
}

void main(process.argv[2]);
