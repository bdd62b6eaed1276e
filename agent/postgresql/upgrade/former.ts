// What is known of the former cluster, from a server with a copy of its files, before these are converted.
import { z } from "zod";
import type { Session } from "../server/connection";
import { collationsOf, databasesOf, type Open } from "./collations";
import type { Collation } from "./reading";
import { Refusal } from "./refusal";

/** See the header. */
export interface Known {
  /** Replication slots, without those by which members follow each other: Patroni makes these by itself. */
  readonly slots: readonly string[];
  /** Subscriptions, as `database: name`. */
  readonly subscriptions: readonly string[];
  /** How many tables, indexes and the like the database has that has most of them. */
  readonly relations: number;
  /** Of each database. */
  readonly collations: ReadonlyMap<string, readonly Collation[]>;
  /** Of each database, tables whose statistics are those of all their partitions, quoted. */
  readonly parents: ReadonlyMap<string, readonly string[]>;
}

const Texts = z.array(z.tuple([z.string()]));
const Counts = z.array(z.tuple([z.coerce.number()]));

/** Throws where it cannot be carried over. The slots are dropped: none may be there then. */
export async function lookAtFormer(session: Session, open: Open, database: string): Promise<Known> {
  const textsOf = async (statement: string): Promise<string[]> => Texts.parse(await session.rows(statement)).flat();
  const [prepared] = await textsOf("SELECT gid FROM pg_catalog.pg_prepared_xacts ORDER BY 1 LIMIT 1");
  if (prepared !== undefined)
    throw new Refusal(`there are prepared transactions ("${prepared}"): commit them, or roll them back`);
  const subscriptions = await textsOf(subscribed);
  const slots = await textsOf(slotsBut(membersSlots(database)));
  await session.rows(dropped);
  const databases = await databasesOf(session);
  const parents = new Map<string, readonly string[]>();
  let relations = 0;
  for (const name of databases) {
    const within = await open(name);
    try {
      relations = Math.max(relations, ...Counts.parse(await within.rows(counted)).flat());
      parents.set(name, Texts.parse(await within.rows(analyzedParents)).flat());
    } finally {
      within.close();
    }
  }
  return { slots, subscriptions, relations, parents, collations: await collationsOf(databases, open, "recorded") };
}

/** A pattern of the names that Patroni gives them: those of the members. */
export const membersSlots = (database: string): string => `^${database.replaceAll("-", "_")}_[0-9]+$`;

const slotsBut = (pattern: string): string => `
  SELECT slot_name::text FROM pg_catalog.pg_replication_slots
  WHERE NOT temporary AND NOT (slot_type = 'physical' AND slot_name ~ '${pattern}') ORDER BY 1`;

const dropped =
  "SELECT pg_catalog.pg_drop_replication_slot(slot_name)::text FROM pg_catalog.pg_replication_slots WHERE NOT temporary";

const subscribed = `
  SELECT d.datname || ': ' || s.subname FROM pg_catalog.pg_subscription s
  JOIN pg_catalog.pg_database d ON d.oid = s.subdbid ORDER BY 1`;

const counted = "SELECT count(*) FROM pg_catalog.pg_class";

const analyzedParents = `
  SELECT format('%I.%I', n.nspname, c.relname) FROM pg_catalog.pg_class c
  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind = 'p' AND EXISTS (SELECT FROM pg_catalog.pg_statistic s WHERE s.starelid = c.oid)
  ORDER BY 1`;
