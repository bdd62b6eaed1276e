// The public face of the library: a Database, its parts, and the pure functions that programs around it need.
export { Access, type AccessArgs } from "./access";
export { Backup, type BackupArgs } from "./backup";
export { Configuration, type ConfigurationArgs } from "./configuration";
export { Credentials, type CredentialsArgs } from "./credentials";
export type { EngineName } from "../contract/engines";
export type { DatabaseArgs, Owner, Passwords, Resources, UpdateStrategy } from "./args";
export { Database } from "./database";
export { DisruptionBudget, type DisruptionBudgetArgs } from "./disruption";
export { engineOf } from "./engines/available";
export type { Engine, ParameterProblem } from "./engines/engine";
export { Initialization, type InitializationArgs } from "./initialization";
export { Monitoring, type MonitoringArgs } from "./monitoring";
export * as naming from "./naming";
export { Network, type NetworkArgs } from "./network";
export { Services, type ServicesArgs } from "./services";
export { settingsOf, type Settings } from "./settings";
export { Workload, type WorkloadArgs } from "./workload";
