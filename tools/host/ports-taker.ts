// Takes both ports of a range, for the test of ports; ends when its parent lets go of it.
import { freePorts } from "./ports";

const [first, claims = ""] = process.argv.slice(2);
void freePorts({ first: Number(first), end: Number(first) + 2, claims }).then(() => process.send?.("taken"));
process.once("disconnect", () => process.exit());
