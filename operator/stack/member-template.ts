// The template of the members' pods as this release of the operator declares it, without a run.
import { engineOf, memberTemplateOf, settingsOf } from "../../components";
import type { Desired } from "../domain/desired";
import { argsOf } from "./program";

/** As a checkpoint would show it. */
export async function declaredTemplate(desired: Desired): Promise<unknown> {
  const settings = settingsOf(desired.owner.name, argsOf(desired));
  const template = await new Promise<unknown>((resolve) => {
    memberTemplateOf(settings, engineOf(settings.engine)).apply(resolve);
  });
  return JSON.parse(JSON.stringify(template));
}
