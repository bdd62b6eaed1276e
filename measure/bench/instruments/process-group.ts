// What a program and all that it starts cost: CPU, memory, processes. By a cgroup where one can be created, else by /proc.
import type { Process } from "./proc";

export interface ProcessGroup {
  /** In words for people. */
  readonly how: string;
  /** What `start` spawns belongs to the group from its first instruction on, where that is possible. */
  starting<T>(start: () => Promise<T>): Promise<T>;
  /** The process belongs to the group, with all that it started and will start. */
  include(pid: number): void;
  /** CPU seconds used up to now, also by processes that ended. */
  cpuSeconds(): number;
  /** The processes that live now. */
  members(): readonly Process[];
  close(): void;
}
