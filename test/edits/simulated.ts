// What edits on simulated nodes choose from: any version, as nothing is pulled, and sizes below and above what these nodes have.
import type { Engine } from "../../operator/api/spec";
import { byEngine } from "../../contract/engines";
import { samples } from "../engines/all";
import type { Grounds } from "./grounds";

// simulated nodes have 1 Ti and 1000 CPUs
const memory = { usual: ["1Gi", "2Gi", "1536Mi"], impossible: ["2Ti", "3000Gi"] };
const cpu = { usual: ["250m", "1", "0.5"], impossible: ["2000", "1500"] };

const minors = (major: number): string[] => Array.from({ length: 40 }, (_, minor) => `${major}.${minor + 1}`);

function groundsOf(engine: Engine): Grounds {
  const { version, edits } = samples[engine];
  const { replicas, parameters, tuning } = edits;
  const versions = minors(Number.parseInt(version, 10));
  return { engine, versions, replicas, memory, cpu, parameters, configMaps: Object.keys(tuning) };
}

export const simulatedGrounds: Readonly<Record<Engine, Grounds>> = byEngine(groundsOf);

/** All of their versions, with images that no node pulls. */
export const editedCatalogue = Object.fromEntries(
  Object.values(simulatedGrounds).map(({ engine, versions }) => [
    engine,
    Object.fromEntries(
      versions.map((version) => [version, { image: `docker.io/library/database-operator-${engine}:${version}` }]),
    ),
  ]),
);
