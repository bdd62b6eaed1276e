// What a person would run instead, for each scenario.
import type { ScenarioName } from "../scenarios";
import type { Scene } from "../run/scene";
import { mysqlVolume } from "./mysql-volume";
import { postgresqlStorage } from "./postgresql-s3";
import { postgresqlVolume } from "./postgresql-volume";
import type { Bare } from "./tool";

export { secondsOf } from "./steps";

const all: Readonly<Record<ScenarioName, (scene: Scene) => Bare>> = {
  "postgresql-s3": postgresqlStorage,
  "postgresql-volume": postgresqlVolume,
  "mysql-volume": mysqlVolume,
};

export const bareOf = (scene: Scene): Bare => all[scene.name](scene);
