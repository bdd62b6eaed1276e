// Whether anything leads back from a major upgrade: the former files of the first member. Pure.
import { memberName } from "../../components/naming";
import { majorOf } from "../../contract/versions";
import type { Member } from "../domain/members";
import type { Upgrade } from "../domain/upgrade";

/** Whether it has said that they are gone. One that has not said anything yet may have them; those of others may lack what it has. */
export const isFormerGone = (members: readonly Member[], { from, to }: Upgrade): boolean =>
  members.some(
    ({ name, database, keptFiles }) =>
      name === memberName(database, 0) && keptFiles?.major === majorOf(to) && !keptFiles.kept.includes(majorOf(from)),
  );
