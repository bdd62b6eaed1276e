// The samples of all engines, from which goldens, edits and tests that go over the engines take what they try.
import type { EngineName } from "../../contract/engines";
import { mongodb } from "./mongodb";
import { mysql } from "./mysql";
import { postgresql } from "./postgresql";
import type { EngineSample } from "./sample";

export const samples: Readonly<Record<EngineName, EngineSample>> = { postgresql, mysql, mongodb };
