// Shows what a long command is doing: one line per step with its time, live on a terminal, plain elsewhere.
import pc from "picocolors";
import type { Log } from "./host/command";

/** Informs a person about steps that take time. */
export interface Progress {
  /** Runs `work` as a step called `title`; what `detail` receives is shown beside it while it runs. */
  step<T>(title: string, work: (detail: Log) => Promise<T>): Promise<T>;
  /** Prints one line. */
  line(text: string): void;
}

/** The part of a terminal or pipe that progress is written to. */
export interface ProgressStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** Progress that shows nothing. */
export const silent: Progress = { step: (_title, work) => work(() => undefined), line: () => undefined };

/** Progress as plain lines, for logs and tests: a line when a step starts, and one with its time when it ends. */
export function progressTo(log: Log): Progress {
  return {
    line: log,
    async step(title, work) {
      log(`… ${title}`);
      const done = stopwatch();
      const reminder = setInterval(() => {
        log(`… ${title}, ${done()} so far`);
      }, 30_000);
      return await finishing(
        work(() => undefined),
        {
          onEnd: () => {
            clearInterval(reminder);
          },
          onSuccess: () => {
            log(`✓ ${title} ${done()}`);
          },
          onFailure: () => {
            log(`✗ ${title} ${done()}`);
          },
        },
      );
    },
  };
}

/** Progress on `stream` (default: standard error): a line that is rewritten each second on a terminal, else plain lines. */
export function progressOn(stream: ProgressStream = process.stderr): Progress {
  const write = (text: string): void => {
    stream.write(text);
  };
  if (!stream.isTTY) {
    return progressTo((line) => {
      write(`${line}\n`);
    });
  }
  return {
    line: (text) => {
      write(`\r\x1b[K${text}\n`);
    },
    async step(title, work) {
      const done = stopwatch();
      let shown = "";
      const draw = (): void => {
        const text = `… ${title} ${done()}${shown && ` (${shown})`}`;
        write(`\r\x1b[K${text.slice(0, (stream.columns ?? 80) - 1)}`);
      };
      draw();
      const redraw = setInterval(draw, 1000);
      const detail: Log = (line) => {
        shown = line.trim();
      };
      return await finishing(work(detail), {
        onEnd: () => {
          clearInterval(redraw);
        },
        onSuccess: () => {
          write(`\r\x1b[K${pc.green("✓")} ${title} ${pc.dim(done())}\n`);
        },
        onFailure: () => {
          write(`\r\x1b[K${pc.red("✗")} ${title} ${pc.dim(done())}\n`);
        },
      });
    },
  };
}

interface Ending {
  onEnd: () => void;
  onSuccess: () => void;
  onFailure: () => void;
}

async function finishing<T>(work: Promise<T>, ending: Ending): Promise<T> {
  try {
    const result = await work.finally(ending.onEnd);
    ending.onSuccess();
    return result;
  } catch (error) {
    ending.onFailure();
    throw error;
  }
}

/** Starts now; each call of the result answers with the time passed since, for a person. */
function stopwatch(): () => string {
  const start = performance.now();
  return () => durationText(performance.now() - start);
}

/** A duration for a person: `0.4s`, `12.3s`, `2m05s`. */
export function durationText(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)}s`;
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}m${String(whole % 60).padStart(2, "0")}s`;
}
