// When the programs in the pods of a Job began and ended. Pure.
import { z } from "zod";

const time = z.iso.datetime().nullish();
const Pods = z.array(
  z
    .object({
      metadata: z.object({ name: z.string(), uid: z.string() }),
      status: z.object({
        containerStatuses: z
          .array(
            z.object({
              state: z.object({
                running: z.object({ startedAt: time }).optional(),
                terminated: z.object({ startedAt: time, finishedAt: time }).optional(),
              }),
            }),
          )
          .default([]),
      }),
    })
    .transform(({ metadata, status }): JobPod => {
      const { running, terminated } = status.containerStatuses[0]?.state ?? {};
      return { ...metadata, from: at(running?.startedAt ?? terminated?.startedAt), to: at(terminated?.finishedAt) };
    }),
);

/** A pod of it, with one container. Times are milliseconds since 1970, known to the second; undefined: not yet. */
export interface JobPod {
  readonly name: string;
  readonly uid: string;
  readonly from: number | undefined;
  readonly to: number | undefined;
}

const at = (text: string | null | undefined): number | undefined => (text ? Date.parse(text) : undefined);

/** As the API server lists them. */
export const podsIn = (listed: unknown): readonly JobPod[] => Pods.parse(listed);

export interface Span {
  readonly from: number;
  readonly to: number;
}

/** What was seen of all pods; some may be gone. */
export class ProgramSpans {
  readonly #seen = new Map<string, { readonly from: number; readonly to: number | undefined }>();

  note(pods: readonly JobPod[]): void {
    for (const { uid, from, to } of pods) if (from !== undefined) this.#seen.set(uid, { from, to });
  }

  /** From the first start to the last end; undefined where the one that began last was not seen to end. */
  whole(): Span | undefined {
    const spans = [...this.#seen.values()].sort((one, other) => one.from - other.from);
    const [first, last] = [spans[0], spans.at(-1)];
    return first === undefined || last?.to === undefined ? undefined : { from: first.from, to: last.to };
  }
}
