// Cases: the operator, Pulumi, or one request dies at any write to the API server.
import { area } from "../case";

const expected =
  "the end is that of an undisturbed run: same objects, passwords and claims, no pod restarted, no lock, file, process or orphan left, no operation pending in the state";

const long = { slice: "one or two chains of points", inShards: true } as const;

export const crashes = area("Crashes", {
  operator: {
    title:
      "the operator is killed at any of its or Pulumi's writes, while a Database is created, changed, scaled down or deleted",
    provoked:
      "a proxy before the API server holds the n-th write, before or after it is carried out; SIGKILL; a successor is started",
    expected,
    ...long,
  },
  cli: {
    title:
      "the Pulumi CLI is killed at any write of its provider, while a Database is created, changed, scaled down or deleted",
    provoked:
      "a proxy before the API server holds the n-th write, before or after it is carried out; SIGKILL of `pulumi`",
    expected,
    ...long,
  },
  provider: {
    title: "the provider is killed at any of its writes, while a Database is created, changed, scaled down or deleted",
    provoked:
      "a proxy before the API server holds the n-th write, before or after it is carried out; SIGKILL of the plugin",
    expected,
    ...long,
  },
  request: {
    title:
      "any one write gets lost, has no answer or gets an error, while a Database is created, changed, scaled down or deleted",
    provoked: "a proxy before the API server cuts the connection before or after the n-th write, or answers 503",
    expected,
    ...long,
  },
});
