// What a person or the operator does on purpose.
import { untilReady } from "../../../test/harness/database";
import { eventually, minutes } from "../../../test/harness/eventually";
import type { Fault, Scene } from "./fault";
import { toImageOf } from "./rebuilt-image";

export const switchover: Fault = {
  title: "the primary's pod is deleted with its grace, as by a drain",
  async strike({ kubectl, primary, subject }) {
    await kubectl("delete", "pod", primary.name, "-n", subject.namespace);
    return undefined;
  },
};

export const rollingConfig: Fault = {
  title: "a parameter changes that needs a restart of every member",
  needsOperator: true,
  async strike(scene) {
    const { subject, step } = scene;
    const { name, valueOf } = subject.engine.restartParameter;
    await subject.apply({ config: { [name]: valueOf(step) } });
    await untilAllSay(scene, name, valueOf(step));
    return undefined;
  },
};

export const minorUpgrade: Fault = {
  title:
    "the version changes to the next one of the same major; of MySQL, of which one version is to be had, its image to a rebuilt one",
  needsOperator: true,
  needsOlderVersion: true,
  async strike(scene) {
    const { subject, nextVersion } = scene;
    if (subject.engine.minorUpgrade === "rebuilt image") await toImageOf(scene);
    else {
      if (nextVersion === undefined) throw new Error("there is no version to change to");
      await subject.apply({ version: nextVersion });
      await untilAllSay(scene, subject.engine.versionParameter, nextVersion);
    }
    return undefined;
  },
};

/** Waits until every server itself says that the parameter begins with the value, and the operator that nothing is in progress. */
async function untilAllSay({ subject, kubectl }: Scene, parameter: string, value: string): Promise<void> {
  const { engine, namespace, name } = subject;
  await eventually(
    async () => {
      for (const member of subject.members()) {
        const [[said] = []] = await subject.ask(member, engine.settingStatement(parameter));
        if (!isSame(String(said), value)) throw new Error(`${member.name} says ${parameter} = ${String(said)}`);
      }
    },
    { ...minutes(6), everyMs: 500 },
  );
  await untilReady(kubectl, [namespace, name], minutes(3));
}

/** Servers add units to numbers, and their packager's words to versions: 2048B, 17.6 (Debian 17.6-0). */
const isSame = (said: string, value: string): boolean =>
  said.startsWith(value) && !/^[\d.]/.test(said.slice(value.length));
