// That this member was told to stop: noted by what runs right before that (preStop), heard by the watch, and forgotten by its next start (postgresql-member).
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { exists } from "../disk";
import { socketDirectory } from "./server/connection";

const note = join(socketDirectory, "told-to-stop");

/** Patroni is told right after. */
export const noteStop = (): Promise<void> => writeFile(note, "");

/** Whether it was noted since the member started. */
export const isToldToStop = (): Promise<boolean> => exists(note);
