// Compares by hand, from a directory that a run left: `tsx test/judges/rights/main.ts <directory>`.
import { compare } from "./compare";
import { readRecorded } from "./record";

async function main([directory]: readonly string[]): Promise<void> {
  if (directory === undefined) throw new Error("usage: tsx test/judges/rights/main.ts <directory>");
  const recorded = await readRecorded(directory);
  console.log(`${recorded.length} clusters: ${recorded.map(({ file }) => file).join(", ")}`);
  const { unexplained, refused } = compare(recorded);
  for (const right of unexplained) console.log(`not used: ${right}`);
  for (const right of refused) console.log(`refused: ${right}`);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
