// The 22 cases that backups and restores are accepted by. Each is a promise; what holds it is named, and so is what nothing holds.
import { archivedAndTried } from "./archived-and-tried";
import type { AcceptanceCase } from "./case";
import { keptAndDeleted } from "./kept-and-deleted";
import { takenAndRestored } from "./taken-and-restored";

export const acceptanceCases: readonly AcceptanceCase[] = [...takenAndRestored, ...archivedAndTried, ...keptAndDeleted];
