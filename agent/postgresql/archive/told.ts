// How what the program has to say gets to the primary: as the text of its last statement, which the server shows to its superuser. It is gone with the
// session, and no other role can say it.
import { z } from "zod";
import { archiveStates, type ToldNote } from "../../../contract/archive-note";

/** The server shows so much of a statement by default, in bytes. */
const longestStatement = 1_023;
const longestMessage = 300;

const beginning = "SELECT 'archive:";

const Note = z.object({
  state: z.enum(archiveStates),
  message: z.string().exactOptional(),
  gap: z.object({ segment: z.string(), at: z.string() }).exactOptional(),
  recoverableFrom: z.string().exactOptional(),
  beat: z.number(),
}) satisfies z.ZodType<ToldNote>;

/** The statement. What does not fit is cut off. */
export function statementOf(note: ToldNote): string {
  const { message } = note;
  const short = message === undefined ? note : { ...note, message: message.slice(0, longestMessage) };
  const statement = `${beginning}${Buffer.from(JSON.stringify(short)).toString("base64")}'`;
  if (statement.length <= longestStatement || message === undefined || message === "") return statement;
  return statementOf({ ...note, message: message.slice(0, Math.min(longestMessage, message.length) / 2) });
}

/** What a statement says; undefined where it is another one, or is cut off. */
export function noteIn(statement: string): ToldNote | undefined {
  const [, text] = /^SELECT 'archive:([A-Za-z0-9+/=]+)'$/.exec(statement) ?? [];
  if (text === undefined) return undefined;
  try {
    return Note.safeParse(JSON.parse(Buffer.from(text, "base64").toString())).data;
  } catch {
    return undefined;
  }
}
