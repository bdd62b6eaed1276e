// Whether pgBackRest complains of what lies in the storage, or of the way to it. Pure.

/**
 * Errors that are about what lies in the storage: a checksum, a form that is none, a file that is not there, what cannot be decrypted. The
 * one of its protocol (039) is also that of a storage that refuses to answer, those of a form (029) and of encryption (095) are also those of the way to it.
 */
const ofTheBackup = /\[0(26|29|39|55|95)\]|does not fit spec\.backup\.encryption/;
const ofTheStorage =
  /HTTP (request failed|response)|invalid xml|certificate|\bTLS\b|unable to (connect|get host)|timeout/i;

/** Whether files of a backup are not what was written. `said`: its words, as it failed to bring them. */
export const saysDamage = (said: string): boolean => ofTheBackup.test(said) && !ofTheStorage.test(said);
