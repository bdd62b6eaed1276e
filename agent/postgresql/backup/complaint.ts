// What pgBackRest complains of, out of all that it says.

/** What decrypts to something else by another passphrase is told by its padding, or by what it looks like. */
const misfit = /CryptoError|FormatError: .* at line \d+:/;

/** Whether what was said is that something does not fit the passphrase, or that there is none for it. */
export const isMisfit = (said: string): boolean => misfit.test(said);

const whyItDoesNotFit =
  "what lies there does not fit spec.backup.encryption: it was written with another passphrase, or without one. Put the former Secret back, or write another prefix, where new backups begin";

/** What an error of it says: its lines with ERROR and HINT, or all of them; without the times. */
export function complaintIn(said: string): string {
  if (isMisfit(said)) return whyItDoesNotFit;
  const lines = said
    .split("\n")
    .map((line) => line.replace(/^\d{4}-\d{2}-\d{2} [\d:.]+ +P\d+ +/, "").trim())
    // there is no such log
    .filter((line) => line !== "" && !line.startsWith("HINT: check '"));
  const first = lines.findIndex((line) => line.startsWith("ERROR"));
  const end = lines.findIndex((line, index) => index > first && /^(INFO|DETAIL|WARN)/.test(line));
  const own = first < 0 ? lines : lines.slice(first, end < 0 ? undefined : end);
  return own.join(" ").replaceAll(/\s+/g, " ");
}
