// The program of one Database's stack, as the operator runs it: from the file that `make state` wrote beside the state.
import * as pulumi from "@pulumi/pulumi";
import { readProgram } from "../../operator/preview/state/program-file";
import { programOf } from "../../operator/stack/program";

export = async (): Promise<unknown> => programOf(await readProgram(__dirname, pulumi.getStack()))();
