// What edits on simulated nodes choose from: any version, as nothing is pulled, and sizes below and above what these nodes have.
import type { Engine } from "../../operator/api/spec";
import { parametersOf, tuning, type Grounds } from "./grounds";

// simulated nodes have 1 Ti and 1000 CPUs
const memory = { usual: ["1Gi", "2Gi", "1536Mi"], impossible: ["2Ti", "3000Gi"] };
const cpu = { usual: ["250m", "1", "0.5"], impossible: ["2000", "1500"] };

const minors = (major: number): string[] => Array.from({ length: 40 }, (_, minor) => `${major}.${minor + 1}`);

const groundsOf = (engine: Engine, major: number, replicas: readonly number[]): Grounds => ({
  ...{ engine, versions: minors(major), replicas, memory, cpu },
  ...{ parameters: parametersOf[engine], configMaps: Object.keys(tuning[engine]) },
});

export const simulatedGrounds: Readonly<Record<Engine, Grounds>> = {
  postgresql: groundsOf("postgresql", 17, [1, 2, 3, 4]),
  mysql: groundsOf("mysql", 9, [1, 3, 4]),
  mongodb: groundsOf("mongodb", 7, [1, 2, 3]),
};

/** All of their versions, with images that no node pulls. */
export const editedCatalogue = Object.fromEntries(
  Object.values(simulatedGrounds).map(({ engine, versions }) => [
    engine,
    Object.fromEntries(
      versions.map((version) => [version, { image: `docker.io/library/database-operator-${engine}:${version}` }]),
    ),
  ]),
);
