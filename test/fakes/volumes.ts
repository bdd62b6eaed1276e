// Volumes of one Database, all of one class.
import type { Volumes } from "../../operator/domain/ports";

/** See the header. */
export class FakeVolumes implements Volumes {
  /** Whether the class lets them grow. */
  grow = true;
  /** What the first claim asks for. */
  size: string | undefined;

  /** Whether the class keeps volumes whose claim is gone. */
  kept = false;

  isKept(): Promise<boolean> {
    return Promise.resolve(this.kept);
  }

  canGrow(): Promise<boolean> {
    return Promise.resolve(this.grow);
  }

  classOf(): Promise<string> {
    return Promise.resolve("standard");
  }

  sizeOf(): Promise<string | undefined> {
    return Promise.resolve(this.size);
  }
}
