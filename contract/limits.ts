// The limits of a Database.

/** The longest name, in characters: a CronJob's name may have 52, and "-backup" takes seven. */
export const maxNameLength = 45;

/** What a name must look like: a DNS label that begins with a letter (Services refuse a leading digit). */
export const namePattern = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;

/** The most members; pod names up to this ordinal are granted to the members. */
export const maxMembers = 10;
