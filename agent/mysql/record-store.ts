// The record of the group in the ConfigMap `<name>-group`.
import { z } from "zod";
import type { KubernetesClient } from "../kubernetes/client";
import { readConfigMap, swapConfigMap, type ConfigMapView } from "../kubernetes/config-map";
import { emptyRecord, GroupRecord, type RecordSnapshot } from "./record";

const recordKey = "record.json";

/** The key by which a person chooses the member that leads. */
const decisionKey = "decision";

/** The key with the events that run on the primary: on a replica it cannot be seen which a person disabled. */
const eventsKey = "events.json";

const EventNames = z.array(z.string());

type RecordClient = Pick<KubernetesClient, "get" | "patch">;

/** Reads and changes the record at `path`. */
export class RecordStore {
  constructor(
    private readonly client: RecordClient,
    private readonly path: string,
  ) {}

  /** The record as it is. */
  async read(): Promise<RecordSnapshot> {
    return snapshotOf(await readConfigMap(this.client, this.path));
  }

  /** Replaces the record that was read; undefined where it was changed since. `decided`: a person's choice was carried out. */
  async swap(seen: RecordSnapshot, record: GroupRecord, decided: boolean): Promise<RecordSnapshot | undefined> {
    const data = { [recordKey]: JSON.stringify(record), ...(decided && { [decisionKey]: null }) };
    const view = await swapConfigMap(this.client, this.path, seen.version, data);
    return view && snapshotOf(view);
  }

  /** Notes the events that run, beside the record that was read; undefined where it has been changed since. */
  async noteEvents(seen: RecordSnapshot, names: readonly string[]): Promise<RecordSnapshot | undefined> {
    const data = { [eventsKey]: JSON.stringify(names) };
    const view = await swapConfigMap(this.client, this.path, seen.version, data);
    return view && snapshotOf(view);
  }
}

function snapshotOf({ version, data }: ConfigMapView): RecordSnapshot {
  const text = data[recordKey];
  const record = text === undefined ? emptyRecord : GroupRecord.parse(JSON.parse(text));
  const events = data[eventsKey];
  return {
    ...{ version, record, decision: data[decisionKey]?.trim() },
    ...(events !== undefined && { events: EventNames.parse(JSON.parse(events)) }),
  };
}
