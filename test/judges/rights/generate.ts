// Writes docs/rights.md from the rules and their reasons; with --check it only says whether the committed one is current.
import { generate } from "../generated-page";
import { rightsPage } from "./page";

const source = "the rules and test/judges/rights/reasons.ts";
void generate({ path: "docs/rights.md", source, text: rightsPage }, process.argv.slice(2));
