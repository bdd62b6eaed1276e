// Cases: the API server is away, slow, refuses, or shows the past.
import { area } from "../case";

const asAsked =
  "the operator keeps running and starts no needless run; afterwards all changes made meanwhile are applied";

export const apiServer = area("API server", {
  outage: {
    title: "the API server cannot be reached for a minute",
    slice: "about 10 s",
    provoked:
      "connections are reset and refused until eight attempts of the operator have failed, while Databases are created, changed and deleted",
    expected: asAsked,
  },
  restartedUp: {
    title: "the API server is killed in the middle of a run",
    provoked: "SIGKILL after a write of the provider; started again once the operator has missed it twice",
    expected: "the end is that of an undisturbed run, passwords and claims included",
  },
  restartedDestroy: {
    title: "the API server is killed in the middle of a destroy",
    provoked: "SIGKILL after a deletion by the provider; started again once the operator has missed it twice",
    expected: "everything is deleted, and nothing is left behind",
  },
  cut: {
    title: "watches break repeatedly",
    provoked: "all watches are cut ten times, a Database is changed in between",
    expected: asAsked,
  },
  halfOpen: {
    title: "watches are half-open",
    slice: "of one watch",
    provoked: "the connections stay, but nothing comes through any more, not even their end",
    expected: "noticed by their silence within 100 s, and changes made meanwhile are applied",
  },
  expired: {
    title: "the history is gone: 410",
    provoked:
      "an ERROR event with code 410 in every watch, while a Database, a pod and a Service are changed or deleted",
    expected: "listed again, deletions included; no needless run is started",
  },
  conflict: {
    title: "writes meet conflicts: 409",
    provoked: "every third write of a status is answered with 409, while a Database is created, changed and deleted",
    expected: "tried again until it is done; one set of passwords",
  },
  throttled: {
    title: "the API server is overloaded: 429 with Retry-After",
    provoked: "every request of operator and provider is refused until each watch has been refused four times",
    expected: "no storm of requests; afterwards all changes made meanwhile are applied",
  },
  unavailable: {
    title: "the API server fails: 500 and 503",
    provoked: "every request of operator and provider is refused until each watch has been refused four times",
    expected: "no storm of requests, nothing deleted; afterwards all changes made meanwhile are applied",
  },
  forbidden: {
    title: "a permission is missing for a while: 403",
    provoked: "writes to StatefulSets are refused with 403",
    expected: "the status names what was refused; done once the permission is there",
  },
  roleGone: {
    title: "a Role is deleted while its RoleBinding is made: 404",
    provoked: "the provider's request for the RoleBinding is held until the Role of a new Database is gone",
    expected: "asked for once, not for a minute; the next run makes both",
  },
  empty: {
    title: "lists are wrongly empty",
    provoked: "every list of the operator is answered without items, after all watches expired",
    expected: "nothing is deleted and no stack is run; changes made meanwhile are applied at the next list",
  },
  failed: {
    title: "lists fail",
    provoked: "every list of the operator is answered with 500, after all watches expired",
    expected: "nothing is forgotten or deleted and no stack is run; changes made meanwhile are applied once lists work",
  },
  stale: {
    title: "lists are stale",
    provoked: "the operator lists Databases and children as they were before a change",
    expected: "the newer state wins in the end; no child is deleted, no pod restarted",
  },
  staleDeletion: {
    title: "a stale list shows a Database that is being deleted, and has been created again since",
    provoked: "the operator lists Databases as they were when the previous one was being deleted",
    expected: "the new one is untouched: no child deleted, data and passwords as they were",
  },
});
