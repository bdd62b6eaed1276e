// The program of the Jobs of a major upgrade (ADR 48): it rehearses it with a backup, carries it out with the files of member 0, or takes it back.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { UpgradeReport } from "../../../contract/upgrade-report";
import { required } from "../../environment";
import { withLock } from "../../lock";
import { textOf } from "../../log";
import { logOf } from "../log";
import type { Conversion } from "./conversion";
import { convert, copyFormer, type Converted } from "./convert";
import { planOfConversion, planOfReturn } from "./plan";
import { copyNewest } from "./rehearsal";
import { Refusal } from "./refusal";
import { requireRoom } from "./room";
import {
  checkpointOf,
  clear,
  exchange,
  identifierOf,
  lookAt,
  noteExchange,
  noteReturn,
  placesOn,
  type Places,
} from "./volume";

const log = logOf("upgrade");

/** How much is told. */
const mostNames = 10;
const longestMessage = 1_024;

type Act = (conversion: Conversion & { readonly places: Places }) => Promise<Omit<UpgradeReport, "seconds">>;

const acts: Readonly<Record<string, Act>> = { rehearse, convert: carryOut, return: takeBack };

/** Runs the program. */
export async function upgrade(): Promise<void> {
  process.title = "postgresql-upgrade";
  const name = required("UPGRADE_ACT");
  const act = Object.hasOwn(acts, name) ? acts[name] : undefined;
  if (act === undefined) throw new Error(`UPGRADE_ACT is "${name}": it must be ${Object.keys(acts).join(", ")}`);
  const places = placesOn(required("DATA_DIRECTORY"));
  const majors = { from: required("UPGRADE_FROM"), to: required("UPGRADE_TO") };
  const conversion = {
    ...{ places, ...majors, log },
    ...{ database: required("DATABASE_NAME"), superuser: required("SUPERUSER") },
  };
  let began = Date.now();
  const seconds = (): number => Math.ceil((Date.now() - began) / 1000);
  try {
    await withFiles(places.volume, async () => {
      began = Date.now();
      await tell({ ...(await act(conversion)), seconds: seconds() });
    });
  } catch (error) {
    const message = textOf(error).slice(0, longestMessage);
    await tell({ upgrade: "Failed", seconds: seconds(), message });
    throw error;
  }
}

/** While neither a member's program has the files, nor what is left of its server, which may outlive it for a moment. */
const withFiles = (volume: string, work: () => Promise<void>): Promise<void> =>
  withLock(join(volume, ".lock"), {}, () => withLock(join(volume, ".server.lock"), {}, work));

async function tell(report: UpgradeReport): Promise<void> {
  const text = JSON.stringify(report);
  log(text);
  await writeFile(process.env["TERMINATION_LOG"] ?? "/dev/termination-log", text).catch(() => undefined);
}

/** With the newest backup; nothing of it is left. */
async function rehearse(conversion: Conversion & { readonly places: Places }): ReturnType<Act> {
  const { places } = conversion;
  await clear(places);
  try {
    const label = await copyNewest(conversion);
    // its volume is as large as that of member 0, and has the backup now as that one has the data
    await requireRoom(places, places.former);
    const began = Date.now();
    const converted = await convert(conversion).catch((error: unknown) => {
      // what it has may be gone from the members since
      throw error instanceof Refusal ? new Refusal(`in ${label}: ${error.message}`, { cause: error }) : error;
    });
    const seconds = Math.ceil((Date.now() - began) / 1000);
    const message = `${label} was upgraded, which took ${seconds} s`;
    return { upgrade: "Rehearsed", conversionSeconds: seconds, message, ...toldOf(converted) };
  } finally {
    await clear(places);
  }
}

/** As far as it is not done yet. */
async function carryOut(conversion: Conversion & { readonly places: Places }): ReturnType<Act> {
  const { places, from, to } = conversion;
  const plan = planOfConversion(await lookAt(places), conversion);
  switch (plan.kind) {
    case "refused":
      throw new Refusal(plan.why);
    case "done":
      await clear(places);
      return { upgrade: "Converted", message: `the files are those of PostgreSQL ${to}` };
    case "exchange":
      await exchange(places, plan, { to, log });
      return carryOut(conversion);
    case "convert": {
      await clear(places);
      await copyFormer(conversion);
      const converted = await convert(conversion);
      const [former, present] = [await identifierOf(places.data), await identifierOf(places.converted)];
      await noteExchange(places, { from, to, former, present, checkpoint: await checkpointOf(places.data) });
      return { ...(await carryOut(conversion)), ...toldOf(converted) };
    }
  }
}

async function takeBack(conversion: Conversion & { readonly places: Places }): ReturnType<Act> {
  const { places, from } = conversion;
  const found = await lookAt(places);
  const plan = planOfReturn(found, conversion);
  if (plan.kind === "refused") throw new Refusal(plan.why);
  await noteReturn(places, found, from);
  if (plan.kind === "exchange") await exchange(places, plan, { to: from, log });
  await clear(places);
  return { upgrade: "Returned", message: `the files are those of PostgreSQL ${from}` };
}

const toldOf = ({
  slots,
  subscriptions,
  indexes,
  extensions,
}: Converted): Pick<UpgradeReport, "slots" | "subscriptions" | "indexes" | "extensions"> => ({
  ...{ slots: slots.slice(0, mostNames), subscriptions: subscriptions.slice(0, mostNames) },
  ...{ indexes, extensions: extensions.slice(0, mostNames) },
});
