// The refusals of the scripted server, with the codes and names that MongoDB documents.

/** A command that failed, as it goes over the wire. */
export class CommandError extends Error {
  constructor(
    readonly code: number,
    readonly codeName: string,
    message: string,
  ) {
    super(message);
  }
}

const refusal =
  (code: number, codeName: string) =>
  (message: string): CommandError =>
    new CommandError(code, codeName, message);

/** Each refusal by its documented name. */
export const refusals = {
  unauthorized: refusal(13, "Unauthorized"),
  userNotFound: refusal(11, "UserNotFound"),
  authenticationFailed: refusal(18, "AuthenticationFailed"),
  alreadyInitialized: refusal(23, "AlreadyInitialized"),
  maxTimeExpired: refusal(50, "MaxTimeMSExpired"),
  commandNotFound: refusal(59, "CommandNotFound"),
  invalidOptions: refusal(72, "InvalidOptions"),
  nodeNotFound: refusal(74, "NodeNotFound"),
  invalidConfiguration: refusal(93, "InvalidReplicaSetConfig"),
  notYetInitialized: refusal(94, "NotYetInitialized"),
  incompatibleConfiguration: refusal(103, "NewReplicaSetConfigurationIncompatible"),
  notElectable: refusal(164, "NodeNotElectable"),
  exceededTimeLimit: refusal(262, "ExceededTimeLimit"),
  notCommittedYet: refusal(308, "CurrentConfigNotCommittedYet"),
  notPrimary: refusal(10107, "NotWritablePrimary"),
  userExists: refusal(51003, "Location51003"),
} as const;
