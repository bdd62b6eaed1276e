// The watch: beside Patroni in a member, it notices what Patroni would notice late, or never. Each file here is about one such thing.
import { dirname, join } from "node:path";
import { requiredNumber, required } from "../../environment";
import { KubernetesClient } from "../../kubernetes/client";
import { roomOn, type Room } from "../../volume/room";
import { volumeNotes } from "../../volume/watch";
import { logOf } from "../log";
import { PatroniClient } from "../patroni/client";
import { PatroniProcess } from "../patroni/process";
import { majorOfServer } from "../restore/files";
import { ServerProcess } from "../server/process";
import { shownCertificate } from "../server/shown-certificate";
import { memberSettings, restCredentials } from "../settings";
import { isToldToStop } from "../told-to-stop";
import { placesOn } from "../upgrade/volume";
import { Archive } from "./archive";
import { Certificate, certificateNotes } from "./certificate";
import { ClusterObjects } from "./cluster-objects";
import { FormerPrimaries } from "./former-primaries";
import { KeptCertificate } from "./kept-certificate";
import { KeptFiles, keptFilesCluster } from "./kept-files";
import { KeptWal } from "./kept-wal";
import { LowerLimits } from "./lower-limits";
import { MissingRoles } from "./missing-roles";
import { answerMs, PatroniStandstill } from "./patroni-standstill";
import type { Watch } from "./ports";
import { repeat } from "./repeat";
import { ServerEnd } from "./server-end";
import { serverEndNotes } from "./server-end-note";
import { ServerSql } from "./server-sql";
import { StrandedReplica } from "./stranded-replica";
import { UnfinishedStop } from "./unfinished-stop";
import { UselessSlots } from "./useless-slots";
import { VolumeRoom } from "./volume-room";
import { bytesIn, WalCause } from "./wal-cause";

/** Watches until the container ends. */
export async function watch(): Promise<void> {
  process.title = "postgresql-watch";
  const settings = memberSettings();
  const { self } = settings;
  const log = logOf("watch");
  const client = new KubernetesClient({
    host: required("KUBERNETES_SERVICE_HOST"),
    port: requiredNumber("KUBERNETES_SERVICE_PORT"),
    patienceMs: answerMs,
  });
  const patroni = new PatroniClient(restCredentials());
  const kubernetes = new ClusterObjects(client, settings);
  const server = new ServerProcess(settings.dataDirectory);
  const sql = new ServerSql(settings);
  const wal = new WalCause(sql, () => bytesIn(join(settings.dataDirectory, "pg_wal")));
  const volume = {
    // the data directory is made by the first start
    room: () => roomOn(dirname(settings.dataDirectory)),
    cause: (room: Room) => wal.find(room),
    write: volumeNotes(client, settings.namespace, self),
  };
  const watches: readonly Watch[] = [
    new ServerEnd({ server, patroni, note: serverEndNotes(client, settings), log }),
    new PatroniStandstill({ self, patroni, kubernetes, server, log }),
    new UnfinishedStop({ isToldToStop, patroni, patroniProcess: new PatroniProcess(), server, log }),
    new FormerPrimaries({ self, kubernetes, server, log }),
    new MissingRoles(server, sql, log),
    new LowerLimits(self, patroni, log),
    new UselessSlots(server, sql, log),
    new StrandedReplica(patroni, sql, log),
    new Archive({ self, server, sql, kubernetes, log }),
    new KeptWal({ ...settings, server, sql, patroni, kubernetes, log }),
    new Certificate({
      ...{ server, shown: shownCertificate, log },
      write: certificateNotes(client, settings.namespace, self),
      kept: new KeptCertificate({
        kept: join(dirname(settings.dataDirectory), ".certificate.pem"),
        instead: "/run/postgresql/certificate.conf",
      }),
    }),
    new VolumeRoom(volume, log),
    new KeptFiles({
      places: placesOn(settings.dataDirectory),
      server: majorOfServer,
      cluster: keptFilesCluster(client, settings),
      log,
    }),
  ];
  await Promise.all(watches.map((one) => repeat(one)));
}
