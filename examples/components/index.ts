// A database without the operator: the component in a Pulumi program of one's own, its passwords from the stack's secrets.
import * as pulumi from "@pulumi/pulumi";
import { Database } from "../../components";

const config = new pulumi.Config();

const database = new Database("orders", {
  namespace: config.require("namespace"),
  engine: "postgresql",
  version: config.require("version"),
  image: config.require("image"),
  replicas: config.requireNumber("replicas"),
  storage: config.require("storage"),
  // Only when the stack's state was lost after the storage had grown: the size in the StatefulSet's claim template.
  claimTemplateStorage: config.get("claimTemplateStorage"),
  synchronousCommit: config.getBoolean("synchronousCommit"),
  config: config.getObject<Record<string, string>>("parameters"),
  passwords: {
    app: config.requireSecret("appPassword"),
    superuser: config.requireSecret("superuserPassword"),
    replication: config.requireSecret("replicationPassword"),
    monitor: config.requireSecret("monitorPassword"),
    rest: config.requireSecret("restPassword"),
  },
});

/** Where applications connect. */
export const host = database.host;
/** The Secret that holds username, password, host, port, database and uri. */
export const credentialsSecret = database.credentialsSecret;
