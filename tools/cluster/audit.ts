// The audit policy: every request leaves one event that says who did what when, without bodies.

/** The API server's audit policy, as YAML. */
export const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
  - level: Metadata
`;
