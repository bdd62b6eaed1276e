// The shared console in a stack's configuration, for tests of what is built from it.

/** As it is written. */
export const rawConsole = {
  enabled: true,
  url: "https://databases.example.com/console",
  proxy: {
    ...{ namespace: "ingress", podLabels: { app: "console-proxy" }, names: ["console-proxy"] },
    ca: "-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n",
    groupsHeader: "X-Remote-Groups",
  },
  ...{
    userPrefix: "oidc:",
    groupPrefix: "oidc:",
    users: ["*"],
    groups: ["oidc:dba", "oidc:dev"],
    namespaces: ["shop"],
  },
};
