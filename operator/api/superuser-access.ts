// From where the superuser may connect: a part of the spec.
import { z } from "zod";
import type { CheckedRule } from "./rules";

/** See its description. */
export const SuperuserAccess = z.enum(["Local", "Network"]).meta({
  description:
    "PostgreSQL and MySQL: from where the superuser (postgres, root) may connect. Local: from inside its member's pod only, with kubectl exec. Network: also with its password, from every pod that may reach the database. Default: Local, but a Database that was created before this field existed stays as it is, Network, until this says Local. Changing it restarts nothing; connections that are open stay.",
});

/** A rule of the whole spec. */
export const hasClosableSuperuser: CheckedRule<{
  readonly engine: string;
  readonly superuserAccess?: z.output<typeof SuperuserAccess> | undefined;
}> = {
  rule: "!has(self.superuserAccess) || self.engine != 'mongodb'",
  message:
    "is for PostgreSQL and MySQL: root of MongoDB may always connect over the network, as its init Job does; leave it out",
  fieldPath: ".superuserAccess",
  holds: ({ engine, superuserAccess }) => superuserAccess === undefined || engine !== "mongodb",
};
