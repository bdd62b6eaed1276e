// Decides where a copy comes from, and how fast. Pure: it reads what was seen and touches nothing.
import { leaderIn, type Cluster, type ClusterMember } from "../patroni/answers";

/** What Patroni tells of members is some seconds old: at 100 MB/s one that keeps up seems to be that far behind. */
const lagBytes = 1024 ** 3;

/** Half of what a common volume or network carries, in bytes per second: the other half is for the clients of the source. */
const usualRate = 64 * 1024 ** 2;
/** Volumes that would take longer are quicker, too; the database is a member short meanwhile, and WAL piles up on the volume of the new one. */
const fullVolumeSeconds = 4 * 3600;
/** What pg_basebackup allows. */
const greatestRate = 1024 ** 3;

/** A server that cannot be reached is given up after that long, and so is one that vanishes in the middle of a copy. */
export const sourceSettings = "connect_timeout=10 keepalives_idle=10 keepalives_interval=5 keepalives_count=3";

/** A member to copy from. */
export interface Source {
  readonly name: string;
  readonly host: string;
  readonly port: number;
}

/** The best replica that keeps up; undefined where there is none. Those that confirm commits come last, as a copy slows its source down. */
export function replicaThatKeepsUp(cluster: Cluster, self: string): Source | undefined {
  const leader = leaderIn(cluster);
  if (leader === undefined) return undefined;
  const isFit = ({ name, state, ...member }: ClusterMember): boolean =>
    // what Patroni reports of this one is from before its server stopped
    name !== self && state === "streaming" && member.timeline === leader.timeline && lagOf(member) <= lagBytes;
  const confirms = ({ role }: ClusterMember): number => (role === "replica" ? 0 : 1);
  const [best] = cluster.members
    .filter(isFit)
    .toSorted((left, right) => confirms(left) - confirms(right) || lagOf(left) - lagOf(right));
  if (typeof best?.host !== "string" || typeof best.port !== "number") return undefined;
  return { name: best.name, host: best.host, port: best.port };
}

/** In bytes; infinite where it cannot be told. */
const lagOf = ({ lag }: Pick<ClusterMember, "lag">): number => (typeof lag === "number" ? lag : Infinity);

/** In bytes per second, by the size of the volume that is copied to. */
export const rateFor = (volumeBytes: number): number =>
  Math.min(greatestRate, Math.max(usualRate, Math.floor(volumeBytes / fullVolumeSeconds)));

/** The data directory in the arguments of pg_basebackup. Throws where there is none. */
export function targetIn(args: readonly string[]): string {
  const option = "--pgdata=";
  const found = args.find((argument) => argument.startsWith(option));
  if (found === undefined) throw new Error(`Patroni must say where to copy to, by ${option}…`);
  return found.slice(option.length);
}

/**
 * The arguments with more settings of the connection, of which the last one of a name counts. The password goes by the host, the primary, in
 * Patroni's file, and hostaddr leaves that as it is.
 */
export const withSettings = (args: readonly string[], settings: string): readonly string[] =>
  args.map((argument) => (argument.startsWith("--dbname=") ? `${argument} ${settings}` : argument));

/** The settings by which a copy comes from this member. */
export const settingsOf = ({ host, port }: Source): string => `${sourceSettings} hostaddr=${host} port=${port}`;
