// Names by which the program that keeps WAL on the backup volume, members and restores find each other.
import { join } from "node:path";

/** What its sessions on the primary are called. */
export const archiveProgram = "wal-archive";

/** Where WAL is on a backup volume. */
export const walIn = (backups: string): string => join(backups, ".wal");

/** The WAL of one cluster, by its system identifier. */
export const clusterDirectory = (backups: string, cluster: string): string => join(walIn(backups), cluster);

/** What is being received. */
export const incomingIn = (directory: string): string => join(directory, "incoming");

/** From when on all is there, where nothing is missing; empty where no backup leads to the end. Written while all arrives, read by the program of backup Jobs. */
export const earliestIn = (directory: string): string => join(directory, "earliest");

/** Held by a restore, so that nothing that it needs is removed. */
export const walLock = (backups: string): string => join(walIn(backups), ".lock");

/** Held by the program that writes, of which there is one at a time. */
export const writerLock = (backups: string): string => join(walIn(backups), ".writer");

/** Ends the name of a segment that is not complete. */
export const partialEnd = ".partial";

export const isSegment = (name: string): boolean => /^[0-9A-F]{24}$/.test(name);
export const isHistory = (name: string): boolean => /^[0-9A-F]{8}\.history$/.test(name);
