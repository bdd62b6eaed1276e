// What another attempt would find, too: it is not made, as no member serves meanwhile.
import { refusedExitCode } from "../../../contract/upgrade-report";
import { CodedFailure } from "../../failure";

/** See the header. */
export class Refusal extends CodedFailure {
  constructor(message: string, options?: ErrorOptions) {
    super(message, refusedExitCode, options);
  }
}
