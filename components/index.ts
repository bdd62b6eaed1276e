// The public face of the library: a Database, its parts, and the pure functions that programs around it need.
export { Access } from "./access";
export { Backup } from "./backup";
export { Configuration } from "./configuration";
export { Credentials, type CredentialsArgs } from "./credentials";
export type { EngineName } from "../contract/engines";
export type { DatabaseArgs, Owner, Passwords, Resources, UpdateStrategy } from "./args";
export { Database } from "./database";
export { DisruptionBudget } from "./disruption";
export { engineOf } from "./engines/available";
export type { Engine, ParameterProblem } from "./engines/engine";
export { Initialization } from "./initialization";
export { Monitoring } from "./monitoring";
export * as naming from "./naming";
export { Network } from "./network";
export type { PartArgs } from "./part";
export { Services } from "./services";
export { settingsOf, type Settings } from "./settings";
export { memberTemplateOf, Workload } from "./workload";
