// `status`: how one Database fares, or all of them.
import type { Asked } from "../command/asked";
import type { ExitCode } from "../command/verb";
import type { World } from "../command/world";
import { showAll } from "./all";
import { showOne } from "./one";

export async function run(asked: Asked, world: World): Promise<ExitCode> {
  const cluster = await world.open(asked.reach);
  await (asked.name === undefined ? showAll(asked, world, cluster) : showOne(asked, world, cluster));
  return 0;
}
