// The engines: every name that the API knows has one.
import type { EngineName } from "../../contract/engines";
import type { Engine } from "./engine";
import { mongodb } from "./mongodb";
import { mysql } from "./mysql";
import { postgresql } from "./postgresql";

const engines: Readonly<Record<EngineName, Engine>> = { postgresql, mysql, mongodb };

/** The engine of this name. */
export const engineOf = (name: EngineName): Engine => engines[name];

/** All of them. */
export const availableEngines: readonly Engine[] = Object.values(engines);
