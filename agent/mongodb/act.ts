// Carries out decisions, one command each. Nothing here decides.
import type { Action } from "./action";
import type { Configuration } from "./configuration";
import { administrator, refusalCodes, refusalOf, type Member } from "./ports";

/**
 * How long a new configuration may take to reach a majority, in milliseconds. After that the configuration stays, and the
 * next decision waits until it has arrived.
 */
const reconfigurationTimeout = 10_000;

/** How long a primary waits for a member that has everything before it hands over, in seconds. */
const catchUpSeconds = 10;
/** How long a member that handed over does not lead again, in seconds. */
const restSeconds = 60;

/** Carries out an action. Throws what the server refused, for the log; the next decision sees the result. */
export async function act(action: Action, member: Member): Promise<void> {
  const { servers, cluster, volume } = member;
  switch (action.kind) {
    case "wait":
    case "person":
      return;
    case "claim":
      await cluster.claim(action.version, await volume.ensureToken());
      return;
    case "initiate":
      await initiate(member, action.configuration);
      return;
    case "createAdministrator":
      await createAdministrator(member);
      return;
    case "reconfigure":
      await servers.asAdministrator({
        replSetReconfig: action.configuration,
        maxTimeMS: reconfigurationTimeout,
      });
      return;
    case "stepDown":
      await stepDown(member);
      return;
  }
}

/** By the localhost exception, or as the administrator where there are users already: in data that a backup brought. */
async function initiate({ servers }: Pick<Member, "servers">, configuration: Configuration): Promise<void> {
  const command = { replSetInitiate: configuration };
  await servers
    .asNobody(command)
    .catch((error: unknown) => {
      if (refusalOf(error) !== refusalCodes.unauthorized) throw error;
      return servers.asAdministrator(command).catch((refused: unknown) => {
        throw refusalOf(refused) === refusalCodes.authenticationFailed ? passwordDiffers(refused) : refused;
      });
    })
    .catch(unless(refusalCodes.alreadyInitialized));
}

/** Hands over to a member that has everything. Throws when none has it in time. */
export async function stepDown({ servers }: Pick<Member, "servers">): Promise<void> {
  const command = { replSetStepDown: restSeconds, secondaryCatchUpPeriodSecs: catchUpSeconds };
  await servers.asAdministrator(command).catch(unless(refusalCodes.notPrimary));
}

/** By the localhost exception, which ends with the first user. */
async function createAdministrator({ servers, administratorPassword }: Member): Promise<void> {
  const roles = [{ role: "root", db: "admin" }];
  const command = { createUser: administrator, pwd: administratorPassword, roles };
  await servers.asNobody(command).catch((error: unknown) => {
    const refused = refusalOf(error);
    if (refused !== refusalCodes.unauthorized && refused !== refusalCodes.userExists) throw error;
    throw passwordDiffers(error);
  });
}

const passwordDiffers = (cause: unknown): Error =>
  new Error(
    `the server has users, and the password of ${administrator} differs from the Secret's: restore the old one in the Secret, or give the server's user the new one`,
    { cause },
  );

function unless(code: number): (error: unknown) => void {
  return (error) => {
    if (refusalOf(error) !== code) throw error;
  };
}
