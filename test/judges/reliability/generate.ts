// Writes docs/reliability.md from the cases and their results; with --check it only says whether the committed one is current.
import { generate, writePage, type GeneratedPage } from "../generated-page";
import { reliabilityPage } from "./page";
import { allCases } from "./proofs";
import { readResults } from "./results";

const page: GeneratedPage = {
  path: "docs/reliability.md",
  source: "test/judges/reliability",
  async text() {
    const cases = [...(await allCases()).values()].flatMap((ofFile) => [...ofFile.values()]);
    return reliabilityPage(cases, readResults());
  },
};

/** Writes the page where it is not current. */
export const generatePage = (): Promise<void> => writePage(page);

if (require.main === module) void generate(page, process.argv.slice(2));
