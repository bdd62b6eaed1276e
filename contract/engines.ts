// The engines, as the API, the catalogue and the images name them.

export const engineNames = ["postgresql", "mysql", "mongodb"] as const;
export type EngineName = (typeof engineNames)[number];
