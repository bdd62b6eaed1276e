// The defaults of a Database that the API and the components have in common.

/** Of the Database itself. */
export const databaseDefaults = { replicas: 3, storage: "10Gi" } as const;

/** Of backups: every night, a week of them. */
export const backupDefaults = { enabled: true, schedule: "0 2 * * *", retention: 7 } as const;

/** Of backups in object storage: a complete one each week, and a minute that may be lost with the volumes. */
export const archiveDefaults = { fullEvery: 7, everySeconds: 60 } as const;

/** Of restore drills: as long as a backup may take. */
export const verifyDefaults = { timeoutMinutes: 360 } as const;

/** Of synchronous commits: one copy elsewhere, and no wait for members that are not there. */
export const synchronousDefaults = { members: 1, strict: false } as const;

/** Of how members keep apart: where they can, on nodes of their own. */
export const antiAffinityDefaults = { type: "Preferred", topologyKey: "kubernetes.io/hostname" } as const;

/** Of monitoring: `release: kps` is the label that a kube-prometheus-stack named "kps" selects by. */
export const monitoringDefaults = { enabled: true, labels: { release: "kps" } } as const;

/** The account that applications use, and the database that it owns: the same of every engine. */
export const application = { username: "app", database: "app" } as const;
