// From where the superuser may connect: a part of the spec.
import { z } from "zod";
import { enginesThat, factsOf, titlesOf, whoseSuperuserIsClosable, type EngineName } from "../../contract/engines";
import { isNoneOf, type CheckedRule } from "./rules";

const closable = enginesThat(({ superuser }) => superuser.isClosable);
const open = enginesThat(({ superuser }) => !superuser.isClosable);
const superusers = [...new Set(closable.map((name) => factsOf(name).superuser.name))].join(", ");

/** See its description. */
export const SuperuserAccess = z.enum(["Local", "Network"]).meta({
  description: `${titlesOf(closable)}: from where the superuser (${superusers}) may connect. Local: from inside its member's pod only, with kubectl exec. Network: also with its password, from every pod that may reach the database. Default: Local, but a Database that was created before this field existed stays as it is, Network, until this says Local. Changing it restarts nothing; connections that are open stay.`,
});

/** A rule of the whole spec. */
export const hasClosableSuperuser: CheckedRule<{
  readonly engine: EngineName;
  readonly superuserAccess?: z.output<typeof SuperuserAccess> | undefined;
}> = {
  rule: `!has(self.superuserAccess) || ${isNoneOf(open)}`,
  message: `${whoseSuperuserIsClosable()}; leave it out`,
  fieldPath: ".superuserAccess",
  holds: ({ engine, superuserAccess }) => superuserAccess === undefined || closable.includes(engine),
};
