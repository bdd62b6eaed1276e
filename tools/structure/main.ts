// Fails where imports run in circles.
import { join } from "node:path";
import { circles } from "./circles";

const found = circles(join(__dirname, "../.."));
for (const circle of found) console.error(`imports in a circle: ${[...circle, circle[0]].join(" → ")}`);
if (found.length > 0) process.exitCode = 1;
