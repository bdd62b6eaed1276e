// The texts of docs/backups.md that no figure changes.
import { clients } from "../../availability/load/limits";

export const method = [
  "",
  "## How it is measured",
  "",
  "`make backups` starts an embedded cluster with a real node, installs the platform, and applies a Database with one member for each scenario. Rows of 1 KiB, hexadecimal digits of hashes, are written into one table, as many as `SIZE` asks for, and then:",
  "",
  "1. A backup is taken while nothing else happens: that is the rate. Then the bare tool does the same.",
  `2. ${clients} clients insert numbered rows without a pause, first alone and then while a backup is taken: that is the load. What was acknowledged before the backup was asked for must be in it.`,
  "3. A new Database begins with that backup; with object storage, with all changes that have arrived, and another one with those before a moment between two commits. Count, sum and checksum of the rows are compared with those of the first Database, and each acknowledged row is looked for.",
  "4. The same once more for each kill: while the Job copies, one SIGKILL hits the operator, which is started again; the processes in the Job's pod; or that pod, which is deleted by force. First during the backup, then during the restore.",
  "",
  "```console",
  "$ make backups                                             # all scenarios with 1 GiB",
  "$ make backups CASES=postgresql-s3 SIZE=4Gi                # one of them",
  "$ tsx measure/backups/main.ts --help                       # with node_modules/.bin on PATH; --kill nothing: without kills",
  "```",
  "",
  "Every line that was ever measured is in `measure/backups/results/`; the tables show the latest of each kind.",
];

export const simulated = [
  "",
  "## What is simulated, and what is not measured",
  "",
  "Servers, pgBackRest, kubelet, containerd and the API server are the real programs. But:",
  "",
  "- Members, Jobs, control plane, clients and the object storage share **one machine with two cores** and one disk. What copies competes with what it copies from. Where the load average beside a table is far above two, the machine did other things as well: then rates say little, and a share compares two different minutes.",
  "- The object storage is a server beside the cluster (versitygw, over TLS), whose objects are files of this machine: it has no distance, no throttling, and no rights of an account.",
  "- Volumes are loop-mounted files; what was just written is mostly still in memory when it is read.",
  "- One member: a backup reads the server that takes the writes. With replicas it reads one of these.",
  "- Power loss, a lost node, volumes that move between nodes, and clouds are not measured. MongoDB is not: no `mongod` can be had where this is made.",
];
