// The record of the group in the ConfigMap `<name>-group`.
import type { KubernetesClient } from "../kubernetes/client";
import { readConfigMap, swapConfigMap, type ConfigMapView } from "../kubernetes/config-map";
import { emptyRecord, GroupRecord, type RecordSnapshot } from "./record";

const recordKey = "record.json";

/** The key by which a person chooses the member that leads on. */
const decisionKey = "decision";

type RecordClient = Pick<KubernetesClient, "get" | "patch">;

/** Reads and changes the record at `path`. */
export class RecordStore {
  readonly #client: RecordClient;
  readonly #path: string;

  constructor(client: RecordClient, path: string) {
    this.#client = client;
    this.#path = path;
  }

  /** The record as it is. */
  async read(): Promise<RecordSnapshot> {
    return snapshotOf(await readConfigMap(this.#client, this.#path));
  }

  /** Replaces the record that was read; undefined where somebody else changed it since. `decided`: what a person chose is done. */
  async swap(seen: RecordSnapshot, record: GroupRecord, decided: boolean): Promise<RecordSnapshot | undefined> {
    const data = { [recordKey]: JSON.stringify(record), ...(decided && { [decisionKey]: null }) };
    const view = await swapConfigMap(this.#client, this.#path, seen.version, data);
    return view && snapshotOf(view);
  }
}

function snapshotOf({ version, data }: ConfigMapView): RecordSnapshot {
  const text = data[recordKey];
  const record = text === undefined ? emptyRecord : GroupRecord.parse(JSON.parse(text));
  return { version, record, decision: data[decisionKey]?.trim() };
}
