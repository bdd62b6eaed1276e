// What a visitor is told where a page cannot be shown, and with which status.
import { HTTPException } from "hono/http-exception";
import { isWithoutKind } from "../../cluster/read";
import { Trouble } from "../../command/trouble";
import { ApiFailure } from "../../command/world";
import type { Said } from "../pages/said";

/** The statuses of such answers. */
export type TroubleStatus = 400 | 401 | 403 | 404 | 409 | 413 | 500 | 502 | 503;

export interface Told {
  readonly status: TroubleStatus;
  readonly said: Said;
  /** Whether who runs the console should hear of it. */
  readonly isLogged: boolean;
}

export function toldOf(error: unknown): Told {
  if (error instanceof ApiFailure) return ofApi(error);
  if (error instanceof HTTPException) return ofForm(error);
  if (error instanceof Trouble)
    return { status: 502, isLogged: true, said: { title: "Not now", sentences: [error.message, ...error.hints] } };
  const sentences = ["Something is wrong with the console itself. Who runs it finds more in its log."];
  return { status: 500, isLogged: true, said: { title: "An error", sentences } };
}

/** What the library says of a request before it is looked at. */
function ofForm({ status }: HTTPException): Told {
  if (status === 413) return told(413, "Too large", ["No spec is as large as this."]);
  return told(403, "Not done", ["This did not come from a page of this console."]);
}

function ofApi(error: ApiFailure): Told {
  const { status, message } = error;
  switch (status) {
    case 401:
      return told(401, "The API server does not know you", [message, "Sign in again, and open the console again."]);
    case 403:
      return told(403, "You may not see this", [
        message,
        "The role view in a namespace is enough to see its Databases.",
      ]);
    case 404:
      return isWithoutKind(error)
        ? told(404, "This cluster has no Databases", ["Their kind is not installed. Is this the right cluster?"])
        : told(404, "There is no such Database", [message]);
    case 0:
      return { ...told(502, "The API server does not answer", [message]), isLogged: true };
    default:
      return { ...told(502, "The API server answers with an error", [message]), isLogged: true };
  }
}

const told = (status: TroubleStatus, title: string, sentences: readonly string[]): Told => ({
  ...{ status, isLogged: false, said: { title, sentences } },
});
