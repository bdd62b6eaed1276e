// Whether the machine has room for another file of tests: by how many want its processors, and by how much of their time no one wants.
import { cpus, loadavg } from "node:os";

/** Whether one more may begin beside so many that run. */
export type HasRoom = (running: number) => boolean;

/** How many run at a time. */
export interface Lanes {
  /** Always: what keeps the machine busy may be another's, and would never end. */
  readonly least: number;
  /** Unless the machine is busy. */
  readonly usual: number;
  /** While processors idle nevertheless. */
  readonly most: number;
}

/** What is known of a machine. */
export interface Machine {
  readonly processors: number;
  /** Processes that wait for each processor, over the last minute. */
  readonly waiting: () => number;
  /** Of all processors since it started, in milliseconds. */
  readonly times: () => { readonly idle: number; readonly all: number };
}

/** So many waiting processes make another file one whose tests run late. */
const mostWaiting = 8;

/** The share of the processors' time that a file beyond the usual ones must find unused, and over how much of that time. */
const leastIdle = 0.35;
const lookOverMs = 10_000;

const thisMachine: Machine = {
  processors: cpus().length,
  waiting: () => (loadavg()[0] ?? 0) / cpus().length,
  times: () => {
    const times = cpus().map((cpu) => cpu.times);
    return {
      idle: times.reduce((sum, { idle }) => sum + idle, 0),
      all: times.reduce((sum, { user, nice, sys, idle, irq }) => sum + user + nice + sys + idle + irq, 0),
    };
  },
};

/** Judges a machine; by default this one. A file that has just begun is given time to show what it takes. */
export function roomFor({ least, usual, most }: Lanes, machine: Machine = thisMachine): HasRoom {
  let before = { running: 0, ...machine.times() };
  const idles = (running: number): boolean => {
    const now = machine.times();
    const [idle, all] = [now.idle - before.idle, now.all - before.all];
    const isShort = all < lookOverMs * machine.processors;
    if (running === before.running && isShort) return false;
    const found = running === before.running && idle >= leastIdle * all;
    before = { running, ...now };
    return found;
  };
  return (running) => {
    if (running < least) return true;
    if (running < usual) return machine.waiting() <= mostWaiting;
    return running < most && idles(running);
  };
}
