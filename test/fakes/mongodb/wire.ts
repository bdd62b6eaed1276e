// MongoDB's wire protocol, as far as a driver needs it: OP_MSG, and the OP_QUERY and OP_REPLY of its first greeting.
import { deserialize, serialize } from "bson";

const opReply = 1;
const opQuery = 2004;
const opMsg = 2013;
const headerBytes = 16;

/** A command as it came in. */
export interface Message {
  readonly id: number;
  /** Whether it is a greeting of the old form, which is answered in the old form. */
  readonly isGreeting: boolean;
  readonly command: Readonly<Record<string, unknown>>;
}

/** Cuts a stream into messages. */
export class MessageReader {
  #rest = Buffer.alloc(0);

  /** The messages that are whole with this chunk. Throws on what the protocol has not. */
  read(chunk: Buffer): Message[] {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    const messages: Message[] = [];
    while (this.#rest.length >= headerBytes && this.#rest.length >= this.#rest.readInt32LE(0)) {
      const length = this.#rest.readInt32LE(0);
      messages.push(messageOf(this.#rest.subarray(0, length)));
      this.#rest = this.#rest.subarray(length);
    }
    return messages;
  }
}

function messageOf(bytes: Buffer): Message {
  const id = bytes.readInt32LE(4);
  const operation = bytes.readInt32LE(12);
  switch (operation) {
    case opMsg:
      return { id, isGreeting: false, command: commandOf(bytes.subarray(headerBytes + 4)) };
    case opQuery: {
      const nameEnd = bytes.indexOf(0, headerBytes + 4);
      return { id, isGreeting: true, command: documentAt(bytes, nameEnd + 1 + 8) };
    }
    default:
      throw new Error(`the scripted server has no operation ${operation}`);
  }
}

/** The sections of an OP_MSG: one document, and sequences that stand for one of its fields. */
function commandOf(sections: Buffer): Record<string, unknown> {
  let command: Record<string, unknown> = {};
  let at = 0;
  // a checksum of four bytes may follow, which no driver sends without TLS being off
  while (at + 5 <= sections.length) {
    const kind = sections.readUInt8(at);
    const size = sections.readInt32LE(at + 1);
    if (kind === 0) command = { ...documentAt(sections, at + 1), ...command };
    else command = { ...command, ...sequenceAt(sections, at + 1) };
    at += 1 + size;
  }
  return command;
}

function sequenceAt(sections: Buffer, start: number): Record<string, unknown> {
  const end = start + sections.readInt32LE(start);
  const nameEnd = sections.indexOf(0, start + 4);
  const documents: unknown[] = [];
  for (let at = nameEnd + 1; at < end; at += sections.readInt32LE(at)) documents.push(documentAt(sections, at));
  return { [sections.toString("utf8", start + 4, nameEnd)]: documents };
}

function documentAt(bytes: Buffer, at: number): Record<string, unknown> {
  return deserialize(bytes.subarray(at, at + bytes.readInt32LE(at)), { promoteValues: true });
}

/** The answer to a message, in its form. */
export function replyTo({ id, isGreeting }: Message, document: Readonly<Record<string, unknown>>): Buffer {
  const body = Buffer.from(serialize(document));
  if (isGreeting) {
    // flags, cursor, first document, number of documents
    const fixed = Buffer.alloc(20);
    fixed.writeInt32LE(8, 0);
    fixed.writeInt32LE(1, 16);
    return framed(id, opReply, Buffer.concat([fixed, body]));
  }
  return framed(id, opMsg, Buffer.concat([Buffer.alloc(5), body]));
}

function framed(answers: number, operation: number, body: Buffer): Buffer {
  const header = Buffer.alloc(headerBytes);
  header.writeInt32LE(headerBytes + body.length, 0);
  header.writeInt32LE(answers, 8);
  header.writeInt32LE(operation, 12);
  return Buffer.concat([header, body]);
}
