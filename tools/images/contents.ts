// What a build context holds beside the files of images/<name>/: programs that are built for the image.
import type { Log } from "../host/command";

/** Programs that are built outside of the image and copied into it. */
export interface Contents {
  /** All that decides them, as far as a build itself does not say: equal keys mean equal images. Builds what is missing. */
  key: (log: Log) => Promise<unknown>;
  /** Puts them into the context, a directory of the build's own. */
  copyTo: (context: string, log: Log) => Promise<void>;
}
