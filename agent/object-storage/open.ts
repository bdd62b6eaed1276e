// Opens the bucket of the pod.
import type { Bucket } from "./bucket";
import { authorityOfPod, keysOfPod, passphraseOfPod, placeOfPod } from "./place";
import { sealerFor, type Sealer } from "./sealing";

/** A bucket, and by what that which lies there is encrypted. */
export interface Opened {
  readonly bucket: Bucket;
  readonly sealer: Sealer;
}

/** Throws where the pod has no place, or not what opens it. */
export async function openBucket(): Promise<Opened> {
  const place = placeOfPod();
  const [passphrase, authority] = [await passphraseOfPod(place), await authorityOfPod(place)];
  await keysOfPod();
  // not with the program: members have the same file, and never load it
  const { S3Bucket } = await import("./s3-bucket.js");
  return { bucket: new S3Bucket(place, { keys: keysOfPod, authority }), sealer: sealerFor(passphrase) };
}
