// Where the time goes: read off profiles by hand, so it is of the day that it names and not of the last run.

/** Lines of Markdown. */
export const profile: readonly string[] = [
  "",
  "## Where the time goes",
  "",
  "Read off the processes' CPU times, profiles of Node, of the resident Pulumi and of the API server, and the audit log, on 2026-11-22, two cores.",
  "",
  "**CPU of a new Database**, in ms, until it is Ready: in a burst of 100, and in the sixth minute of a burst of 1000 in one namespace.",
  "",
  "| burst | API server | operator | resident Pulumi | controller manager | etcd | provider | kwok | scheduler | all | ours |",
  "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
  "| 100 | 360 | 140 | 100 | 90 | 80 | 75 | 35 | 25 | 905 | 315 |",
  "| 1000 | 415 | 130 | 110 | 195 | 90 | 80 | 35 | 55 | 1110 | 320 |",
  "",
  "Both cores are full meanwhile: 2.2 and 1.8 a second. What is ours stays the same however many there are; what grows is the controller manager, the scheduler and the API server, which have more to keep. **The cluster's own share of a thousand, 790 ms each, is 395 s of two cores: `burst_1000_s` ≤ 240 cannot be reached on them**, with whatever operator; with all of ours on other cores it would be those 395 s. Plain requests take 200 ms of the API server and 50 of etcd for the same children; the rest is pods, Jobs, volumes, endpoints, the status, and who watches them.",
  "",
  "A third of what is ours is Node; of that a fifth is garbage collection, and the rest spread over HTTP, the lines of the watches, and gRPC with the engine. Of the resident Pulumi's, a sixth is copies of what the engine tells about each step (`engine.NewEvent`), a third the steps themselves, 5 ms the gateway to the API server.",
  "",
  "**A new Database on an idle system** has its children after 0.3 s: 20 ms until the operator has asked for everything that could be in the way and written its finalizer, 45 ms until Pulumi's engine sends the first child, and then the longest chain: the Role takes 100 ms, its binding another 100. The API server makes sure that a client holds the rights that it grants, and reads its own rules for that by a consistent list, which waits for etcd's next word on progress. Nothing is computed meanwhile, and cluster administrators are spared it. Everything else is made side by side within that time; members do not wait for it.",
  "",
  "**A deletion** costs 500 ms, of which the API server takes 205, the controller manager 95, the resident Pulumi 85, the operator 30. The provider asks three times about every child that it deletes, and for each starts to listen to all objects of the kind in the namespace, which it never stops: so deletions get slower with their number until the provider gets its successor, after 2000 objects in this run, 1000 since. 30 at a time went at 5.3 a second in a small run and at 2.8 in a full one; a thousand in one namespace take 290 s.",
  "",
  "**The machine** is a virtual one, and not the same at all hours. In the full run above stock took 2.9 s for a creation and 2.4 s for a preview, in a small run three hours before 1.9 and 1.6; ours took 0.43 and 0.33 then, 0.32 and 0.25 before. Ratios hold; figures in seconds say as much about the hour.",
  "",
  "Since then, and not measured yet: the resident Pulumi deletes by itself, with one request for each object and no listening, and works on 32 resources of a run at once; StatefulSets and Jobs have one watch instead of two; a preview gets the values of the steps that change something, and no others. What would take the rest, by size: fewer resources to register (11 of 32 are components, two calls each); status writes (4) and events (4) of a creation.",
];
