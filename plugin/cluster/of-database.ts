// What belongs to one Database, where its kind says so in spec.database.
import { isFailure, type Query } from "../command/world";

/** Asks the API server for those of one Database alone. One older than selectable fields knows no such question, and is asked for all. */
export async function ofDatabase<List>(name: string, list: (query: Query) => Promise<List>): Promise<List> {
  try {
    return await list({ fieldSelector: `spec.database=${name}` });
  } catch (error) {
    if (!isFailure(error, 400)) throw error;
    return list({});
  }
}
