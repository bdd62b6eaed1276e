// When a change is carried out, by what it does: a part of the spec, and the platform's default for it.
import { z } from "zod";
import { durationPattern, namedEffects, policyLimits, timeZonePattern, windowEffects } from "../../contract/effects";
import { matches } from "./fields";
import { rule } from "./rules";
import { schedule } from "./schedule";

const effectText =
  "Reload: servers read settings again. Exposure: what fails later takes more with it. Removal: members go. RollingRestart: members restart, one after the other. Switchover: another member becomes primary. Downtime: nothing serves, or takes writes, for a while. DataLoss: data or backups are gone.";

const effectSet = (description: string): z.ZodArray<z.ZodEnum<{ [K in (typeof namedEffects)[number]]: K }>> =>
  z.array(z.enum(namedEffects)).max(namedEffects.length).meta({ "x-kubernetes-list-type": "set", description });

/** Whether this machine knows the time zone: names come and go with its tables. */
function isKnown(timeZone: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

const timeZone = rule(z.string().max(policyLimits.timeZone), {
  rule: matches("self", timeZonePattern),
  message: "must be UTC, or the name of a time zone such as Europe/Berlin",
  holds: (text) => timeZonePattern.test(text),
})
  .refine((text) => !timeZonePattern.test(text) || isKnown(text), {
    message: "is no time zone that the operator knows; write one such as Europe/Berlin, or UTC",
  })
  .default("UTC")
  .meta({ description: "The time zone of the schedule: UTC, or an area and a place as in the IANA database." });

const duration = rule(z.string().max(policyLimits.duration), {
  rule: matches("self", durationPattern),
  message: "must be hours, minutes or both, for example 2h, 90m or 1h30m",
  holds: (text) => durationPattern.test(text),
}).meta({ description: "How long it is open after each of these times, at most 99h59m." });

const Window = z
  .object({
    schedule: schedule.meta({
      description:
        "When it opens: five cron fields (minute hour day month weekday). A time that a change of the clock skips is as late as the clock is put forward; of one that comes twice the first counts.",
    }),
    duration,
    timeZone,
    effects: effectSet("What it is for.")
      .min(1)
      .default([...windowEffects]),
  })
  .meta({
    description:
      "A time in which changes may begin that have one of these effects. What has begun is finished after it, too.",
  });
/** One window. */
export type ChangeWindow = z.infer<typeof Window>;

/** See its description. */
export const ChangePolicy = z
  .object({
    requireApproval: effectSet(
      `Effects that a person must approve before the change is carried out. ${effectText} Of a change whose effects cannot be told, all of them count.`,
    ).default([]),
    windows: z.array(Window).max(policyLimits.windows).default([]).meta({
      "x-kubernetes-list-type": "atomic",
      description:
        "When changes may begin, by their effects. An effect that no window is for does not wait for one; one that requires approval as well waits for both.",
    }),
  })
  .meta({
    description:
      "Which changes wait, by what they do: until a person approves them, or until a window opens. What has none of these effects is carried out at once. A change waits as a whole, and what ran before is maintained meanwhile; repairs, failover, backups and growth never wait. Default: what the platform has set, or else nothing waits.",
  });
export type ChangePolicy = z.infer<typeof ChangePolicy>;

/** Nothing waits. */
export const noPolicy: ChangePolicy = { requireApproval: [], windows: [] };
