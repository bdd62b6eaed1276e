// Writes SECURITY.md from who can do what; with --check it only says whether the committed one is current.
import { generate } from "../generated-page";
import { securityPage } from "./page";

void generate({ path: "SECURITY.md", source: "test/judges/security", text: securityPage }, process.argv.slice(2));
