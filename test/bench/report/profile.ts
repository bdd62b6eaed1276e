// Where the time goes: read off profiles by hand, so it is of the day that it names and not of the last run.

/** Lines of Markdown. */
export const profile: readonly string[] = [
  "",
  "## Where the time goes",
  "",
  "Read off the processes' CPU times, profiles of Node and of the API server, and the audit log, on 2026-11-22, two cores.",
  "",
  "**CPU of a new Database in a burst of 40**, in ms, until it is Ready:",
  "",
  "| API server | operator | controller manager | provider | resident Pulumi | etcd | kwok | scheduler | all |",
  "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
  "| 350 | 130 | 85 | 80 | 80 | 75 | 35 | 25 | 860 |",
  "",
  "At 2.4 a second both cores are full. Plain requests take 200 of the API server and 50 of etcd for the same children, before pods and Jobs have run. A third of what is ours is Node; of that a fifth is garbage collection, and the rest spread over HTTP, the lines of the watches, and gRPC with the engine.",
  "",
  "**A new Database on an idle system** has its children after 0.3 s: 20 ms until the operator has asked for everything that could be in the way and written its finalizer, 45 ms until Pulumi's engine sends the first child, and then the longest chain: the Role takes 100 ms, its binding another 100. The API server makes sure that whoever grants rights has them, and reads its own rules for that by a consistent list, which waits for etcd's next word on progress. Nothing is computed meanwhile, and cluster administrators are spared it. Everything else is made side by side within that time; members do not wait for it.",
  "",
  "**A deletion** costs 330 ms, of which the API server takes 135: the provider asks three times about every child that it deletes.",
  "",
  "**A thousand at once in one namespace** take more than ten minutes instead of the seven that the rate of small bursts promises: the provider's CPU grew from 80 ms to about 270 ms for each. It follows the events of the namespace for every child that it makes, and by its source each time goes through all that it has heard of. It was not confirmed by a profile yet; Databases spread over namespaces share fewer events.",
  "",
  "What would take the rest, by size: fewer questions of the provider at a deletion (or owner references alone, at the price of a destroy that Pulumi does not see); one watch instead of two for StatefulSets and Jobs; fewer resources to register (11 of 32 are components, two calls each); status writes (4) and events (4) of a creation.",
];
