// The commands of the scripted server: what MongoDB documents of them, as far as members and tests use it.
import { Long, ObjectId } from "bson";
import { z } from "zod";
import { compareAge, majorityIn, problemOf, SetConfiguration, stepProblemOf, votersIn } from "./configuration";
import { refusals, type CommandError } from "./errors";
import type { Member, MemberRole, ScriptedSet } from "./set";

/** Who asks: how the connection came in, and as whom it logged in. */
export interface Session {
  /** Whether it came from the server's own machine. */
  readonly local: boolean;
  user?: string;
}

/** A command that a server got. */
export interface Request {
  readonly set: ScriptedSet;
  readonly member: Member;
  readonly session: Session;
  readonly command: Readonly<Record<string, unknown>>;
}

type Reply = Record<string, unknown>;
type Handler = (request: Request) => Reply;

const stateNumbers: Readonly<Record<MemberRole, number>> = {
  startup: 0,
  primary: 1,
  secondary: 2,
  copying: 5,
  removed: 10,
};

/** Until the first user exists, clients on the server's own machine may begin the set and create that user, and no more. */
const localhostException = new Set(["createUser", "replSetInitiate", "replSetGetStatus"]);
const anonymous = new Set(["hello", "isMaster", "ismaster", "ping", "buildInfo", "endSessions"]);

/** Answers a command. Throws `CommandError` as the server refuses it. */
export function answer(request: Request): Reply {
  const [name = ""] = Object.keys(request.command);
  const handler = Object.hasOwn(handlers, name) ? handlers[name] : undefined;
  if (handler === undefined) throw refusals.commandNotFound(`no such command: '${name}'`);
  if (!anonymous.has(name)) authorize(name, request);
  return { ...handler(request), ok: 1 };
}

function authorize(name: string, { session, member, set }: Request): void {
  if (session.user !== undefined || set.areAlone) return;
  if (session.local && member.users.length === 0 && localhostException.has(name)) return;
  throw refusals.unauthorized(`Command ${name} requires authentication`);
}

function hello({ set, member }: Request): Reply {
  const limits = { maxBsonObjectSize: 16777216, maxMessageSizeBytes: 48000000, maxWriteBatchSize: 100000 };
  const common = {
    ...limits,
    localTime: new Date(),
    logicalSessionTimeoutMinutes: 30,
    connectionId: 1,
    minWireVersion: 0,
    maxWireVersion: 21,
    readOnly: false,
  };
  const { configuration, role } = member;
  if (set.areAlone) return { isWritablePrimary: true, ...common };
  if (configuration === undefined || role === "removed") {
    const info = "Does not have a valid replica set config";
    return { isWritablePrimary: false, secondary: false, info, isreplicaset: true, ...common };
  }
  const primary = set.members.find(
    ({ host, role }) => role === "primary" && (host === member.host || set.reaches(member.host, host)),
  );
  const able = configuration.members.filter(({ priority }) => priority > 0).map(({ host }) => host);
  return {
    hosts: able,
    setName: configuration._id,
    setVersion: configuration.version,
    isWritablePrimary: role === "primary",
    secondary: role === "secondary",
    me: member.host,
    // left out where it knows none
    ...(primary !== undefined && { primary: primary.host }),
    ...common,
  };
}

const isMaster: Handler = (request) => {
  const { isWritablePrimary, ...rest } = hello(request);
  return { helloOk: true, ismaster: isWritablePrimary, ...rest };
};

const Initiate = z.looseObject({ replSetInitiate: SetConfiguration });

const replSetInitiate: Handler = ({ set, member, command }) => {
  if (member.configuration !== undefined) throw refusals.alreadyInitialized("already initialized");
  const { replSetInitiate: configuration } = Initiate.parse(command);
  const problem = problemOf(configuration);
  if (problem !== undefined) throw problem;
  if (!configuration.members.some(({ host }) => host === member.host)) {
    throw refusals.nodeNotFound("No host described in new configuration maps to this node");
  }
  const others = configuration.members.filter(({ host }) => host !== member.host);
  if (others.some(({ host }) => !set.reaches(member.host, host) || set.member(host).configuration !== undefined)) {
    throw refusals.nodeNotFound("replSetInitiate quorum check failed because not all proposed set members responded");
  }
  const settings = { replicaSetId: new ObjectId() };
  Object.assign(member, {
    configuration: { ...configuration, settings, term: 1 },
    ...{ role: "secondary", position: 1, term: 1 },
  });
  set.beat();
  return {};
};

const Reconfigure = z.looseObject({
  replSetReconfig: SetConfiguration,
  force: z.boolean().default(false),
  maxTimeMS: z.number().optional(),
});

const replSetReconfig: Handler = ({ set, member, command }) => {
  const { replSetReconfig: asked, force } = Reconfigure.parse(command);
  if (force) throw new Error("nothing that is tested here may ever force a configuration");
  if (member.configuration === undefined) throw refusals.notYetInitialized("no replset config has been received");
  if (member.role !== "primary") throw refusals.notPrimary("replSetReconfig should only be run on a writable PRIMARY.");
  if (!set.isCommitted(member)) throw refusals.notCommittedYet("Cannot run replSetReconfig: not yet committed");
  const next = { ...asked, term: member.term };
  const problem = problemOf(next) ?? stepProblemOf(member.configuration, next) ?? placeProblemOf(set, member, next);
  if (problem !== undefined) throw problem;
  Object.assign(member, { configuration: next, position: member.position + 1 });
  set.beat();
  if (!set.isCommitted(member)) throw refusals.maxTimeExpired("waiting for the config to be committed: time is over");
  return {};
};

/** Why the member cannot lead a set of this configuration now. */
function placeProblemOf(set: ScriptedSet, member: Member, next: SetConfiguration): CommandError | undefined {
  const own = next.members.find(({ host }) => host === member.host);
  if (own === undefined) return refusals.nodeNotFound("No host described in new configuration maps to this node");
  if (own.priority === 0) return refusals.notElectable("This node is not electable under the new configuration");
  const responding = votersIn(next).filter((host) => set.reaches(member.host, host)).length;
  if (responding >= majorityIn(next)) return undefined;
  return refusals.nodeNotFound("Quorum check failed because not enough voting nodes responded");
}

const replSetGetConfig: Handler = ({ set, member, command }) => {
  const { configuration, role } = member;
  if (configuration === undefined) throw refusals.notYetInitialized("no replset config has been received");
  if (command["commitmentStatus"] !== true) return { config: configuration };
  if (role !== "primary") throw refusals.notPrimary("commitmentStatus is only supported on primary.");
  return { config: configuration, commitmentStatus: set.isCommitted(member) };
};

const replSetGetStatus: Handler = ({ set, member }) => {
  const { configuration } = member;
  if (configuration === undefined) throw refusals.notYetInitialized("no replset config has been received");
  const members = configuration.members.map(({ _id, host }) => {
    const other = set.members.find((candidate) => candidate.host === host);
    const reachable = other !== undefined && set.reaches(member.host, host);
    const behind = other?.configuration === undefined || compareAge(other.configuration, configuration) < 0;
    const state = reachable ? stateNumbers[other.role === "secondary" && behind ? "copying" : other.role] : 8;
    const optimeDate = new Date((other?.position ?? 0) * 1000);
    return { _id, name: host, health: reachable ? 1 : 0, state, uptime: 1, optimeDate, self: host === member.host };
  });
  return { set: configuration._id, date: new Date(), myState: stateNumbers[member.role], term: member.term, members };
};

const replSetStepDown: Handler = ({ set, member }) => {
  if (member.role !== "primary") throw refusals.notPrimary("not primary so can't step down");
  const heirs = (member.configuration?.members ?? []).filter(({ host, priority }) => {
    const other = set.members.find((candidate) => candidate.host === host);
    return host !== member.host && priority > 0 && other?.role === "secondary" && set.reaches(member.host, host);
  });
  if (heirs.length === 0) throw refusals.exceededTimeLimit("No electable secondaries caught up");
  Object.assign(member, { role: "secondary", resting: 6 });
  return {};
};

const Roles = z.array(z.object({ role: z.string(), db: z.string() }));
const CreateUser = z.looseObject({ createUser: z.string(), pwd: z.string(), $db: z.string(), roles: Roles });

const createUser: Handler = ({ member, command }) => {
  const { createUser: name, pwd: password, $db: database, roles } = CreateUser.parse(command);
  if (member.role !== "primary") throw refusals.notPrimary("not primary");
  if (member.users.some((user) => user.name === name && user.database === database)) {
    throw refusals.userExists(`User "${name}@${database}" already exists`);
  }
  member.users.push({ name, database, password, roles });
  member.position += 1;
  return {};
};

const UpdateUser = z.looseObject({ updateUser: z.string(), pwd: z.string(), $db: z.string() });

const updateUser: Handler = ({ member, command }) => {
  const { updateUser: name, pwd: password, $db: database } = UpdateUser.parse(command);
  return changeUser(member, { name, database }, (user) => ({ ...user, password }));
};

const GrantRoles = z.looseObject({ grantRolesToUser: z.string(), $db: z.string(), roles: Roles });

const grantRolesToUser: Handler = ({ member, command }) => {
  const { grantRolesToUser: name, $db: database, roles: given } = GrantRoles.parse(command);
  const isGiven = ({ role, db }: z.infer<typeof Roles>[number]): boolean =>
    given.some((one) => one.role === role && one.db === db);
  return changeUser(member, { name, database }, (user) => ({
    ...user,
    roles: [...Roles.parse(user.roles).filter((one) => !isGiven(one)), ...given],
  }));
};

type User = Request["member"]["users"][number];

function changeUser(
  member: Request["member"],
  { name, database }: Pick<User, "name" | "database">,
  changed: (user: User) => User,
): Reply {
  if (member.role !== "primary") throw refusals.notPrimary("not primary");
  const isIt = (user: User): boolean => user.name === name && user.database === database;
  if (!member.users.some(isIt)) throw refusals.userNotFound(`User '${name}@${database}' not found`);
  member.users = member.users.map((user) => (isIt(user) ? changed(user) : user));
  member.position += 1;
  return {};
}

const usersInfo: Handler = ({ member }) => ({
  users: member.users.map(({ name, database, roles }) => ({
    _id: `${database}.${name}`,
    user: name,
    db: database,
    roles,
    mechanisms: ["SCRAM-SHA-256"],
  })),
});

/** A collection, as its name and that of its database come with each command about it. */
const Collection = z.looseObject({ $db: z.string() });

/** The only one that is asked for is that which counts documents. */
const aggregate: Handler = ({ member, command }) => {
  const { $db, aggregate: name } = Collection.extend({ aggregate: z.string() }).parse(command);
  const n = member.documents.get(`${$db}.${name}`) ?? 0;
  return cursorOf(`${$db}.${name}`, n === 0 ? [] : [{ _id: 1, n }]);
};

const listIndexes: Handler = ({ command }) => {
  const { $db, listIndexes: name } = Collection.extend({ listIndexes: z.string() }).parse(command);
  return cursorOf(`${$db}.${name}`, [{ v: 2, key: { _id: 1 }, name: "_id_" }]);
};

const validate: Handler = ({ member, command }) => {
  const { $db, validate: name } = Collection.extend({ validate: z.string() }).parse(command);
  return { valid: !member.invalid.has(`${$db}.${name}`) };
};

const cursorOf = (ns: string, firstBatch: readonly Reply[]): Reply => ({ cursor: { id: Long.ZERO, ns, firstBatch } });

/** The one parameter that a command is about: the key beside those that every command has. */
function parameterIn(command: Request["command"]): string {
  const others = Object.keys(command).slice(1);
  return others.find((key) => !key.startsWith("$") && key !== "lsid") ?? "";
}

const getParameter: Handler = ({ member, command }) => {
  const name = parameterIn(command);
  if (!member.parameters.has(name)) throw refusals.invalidOptions("no option found to get");
  return { [name]: member.parameters.get(name) };
};

const setParameter: Handler = ({ member, command }) => {
  const name = parameterIn(command);
  if (!member.parameters.has(name)) throw refusals.invalidOptions(`unrecognized parameter: ${name}`);
  const was = member.parameters.get(name);
  member.parameters.set(name, command[name]);
  return { was };
};

const serverStatus: Handler = ({ member }) => ({
  host: member.host,
  version: "7.0.42",
  process: "mongod",
  pid: 1,
  uptime: 1,
  localTime: new Date(),
  connections: { current: 1, available: 100 },
  opcounters: { insert: 0, query: 0, update: 0, delete: 0, getmore: 0, command: 1 },
});

const handlers: Readonly<Record<string, Handler>> = {
  hello,
  isMaster,
  ismaster: isMaster,
  ping: () => ({}),
  endSessions: () => ({}),
  buildInfo: () => ({
    version: "7.0.42",
    versionArray: [7, 0, 42, 0],
    bits: 64,
    debug: false,
    maxBsonObjectSize: 16777216,
  }),
  listDatabases: () => ({ databases: [], totalSize: 0 }),
  replSetInitiate,
  replSetReconfig,
  replSetGetConfig,
  replSetGetStatus,
  replSetStepDown,
  createUser,
  updateUser,
  grantRolesToUser,
  usersInfo,
  aggregate,
  listIndexes,
  validate,
  getParameter,
  setParameter,
  serverStatus,
};
