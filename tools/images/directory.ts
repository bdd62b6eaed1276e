// Where the images' own files are.
import { resolve } from "node:path";

/** The directory of an image's Dockerfile. */
export function imageDirectory(name: string): string {
  return resolve(__dirname, "..", "..", "images", name);
}
