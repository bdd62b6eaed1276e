import assert from "node:assert/strict";
import test from "node:test";
import { array, assert as holds, asyncProperty, constantFrom, dictionary, jsonValue, record, string } from "fast-check";
import { z } from "zod";
import { convertDatabase } from "../api/conversion";
import { answerConversion } from "./convert";
import { JsonText } from "./json-text";

const [v1, v1beta1] = ["example.com/v1", "example.com/v1beta1"];

const reviewText = (objects: string): string =>
  `{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","request":{"uid":"u","desiredAPIVersion":"${v1beta1}","objects":${objects}}}`;

const Answered = z.object({
  ...{ apiVersion: z.literal("apiextensions.k8s.io/v1"), kind: z.literal("ConversionReview") },
  response: z.strictObject({
    uid: z.literal("u"),
    result: z.object({ status: z.string(), message: z.string().default("") }),
    convertedObjects: z.array(z.unknown()),
  }),
});

/** The answer as it goes out. */
async function answered(objects: string): Promise<string> {
  const answer = await answerConversion(reviewText(objects));
  assert(answer.kind === "review" && answer.review instanceof JsonText, JSON.stringify(answer));
  return answer.review.text;
}

const stored = (spec: unknown): Record<string, unknown> => ({
  ...{ apiVersion: v1, kind: "Database", metadata: { name: "shop", namespace: "team" } },
  spec,
});

test("several objects are converted in their order, under the request's uid", async () => {
  const objects = [stored({ engine: "mysql" }), stored({ engine: "postgresql" }), stored(null)];
  const { response } = Answered.parse(JSON.parse(await answered(JSON.stringify(objects))));
  assert.equal(response.result.status, "Success");
  assert.deepEqual(response.convertedObjects, [
    { ...stored({ dbType: "mysql" }), apiVersion: v1beta1 },
    { ...stored({ dbType: "postgresql" }), apiVersion: v1beta1 },
    { ...stored(null), apiVersion: v1beta1 },
  ]);
});

test("no object is converted where one cannot be, and the reason names it", async () => {
  const objects = [stored({}), { ...stored({}), kind: "Pod" }];
  const { response } = Answered.parse(JSON.parse(await answered(JSON.stringify(objects))));
  assert.equal(response.result.status, "Failed");
  assert.match(response.result.message, /^object 1 is Pod of example.com\/v1/);
  assert.deepEqual(response.convertedObjects, []);
});

const numbers = '{"a":1.0,"b":12345678901234567890,"c":1e400,"d":-0,"e":[2.50],"f":3}';
for (const spec of [numbers, "1.0", "12345678901234567890"]) {
  test(`a spec that is ${spec} comes back as it was written`, async () => {
    const text = await answered(JSON.stringify([stored("HERE")]).replace('"HERE"', spec));
    assert(text.includes(`"spec":${spec}`), text);
  });
}

const anything = jsonValue({ maxDepth: 3 });
const names = constantFrom("engine", "dbType", "version", 'qu"ote', "back\\slash", "{", "]", ",", "é\n", "__proto__");
const databases = array(
  record(
    {
      apiVersion: constantFrom(v1, v1beta1),
      kind: constantFrom("Database"),
      metadata: anything,
      spec: dictionary(names, anything, { maxKeys: 5 }),
      status: string(),
    },
    { requiredKeys: ["apiVersion", "kind"] },
  ),
  { maxLength: 4 },
);

test("what is converted as text is what is converted as values, with whatever spaces it was written", async () => {
  await holds(
    asyncProperty(databases, constantFrom("", "  ", "\t"), async (objects, space) => {
      const wanted = objects.map((object) => {
        const conversion = convertDatabase(object, v1beta1);
        assert(conversion.ok);
        return conversion.object;
      });
      const { response } = Answered.parse(JSON.parse(await answered(JSON.stringify(objects, undefined, space))));
      assert.equal(JSON.stringify(response.convertedObjects), JSON.stringify(wanted));
    }),
    { numRuns: 2000, seed: 20_261_128 },
  );
});

for (const [what, objects] of [
  ["a member without a value", '[{"apiVersion"}]'],
  ["nothing between commas", "[,]"],
  ["a member without a name", "[{1:2}]"],
] as const) {
  test(`${what} is refused, and not thrown`, async () => {
    assert.match(await answered(objects), /"status":"Failed","message":"object \d is /);
  });
}

test("a review that is cut off, or has no list, is none", async () => {
  const cut = [reviewText("[]").slice(0, -1), reviewText("[{}}]"), reviewText('[{"a]')];
  for (const text of [...cut, reviewText("{}"), "", "[]", '{"request":1}']) {
    assert.equal((await answerConversion(text)).kind, "malformed", text);
  }
});

/** Lists as long as the port takes them, of what costs most to read. */
const most = 32 * 1024 ** 2 - 1000;
const database = (spec: string): string => `{"apiVersion":"${v1}","kind":"Database","metadata":{},"spec":${spec}}`;
const full = (unit: string, length = most): string => unit.repeat(Math.floor(length / unit.length)).slice(0, -1);
const floods = {
  numbers: `[${full("1,")}]`,
  "empty objects": `[${full("{},")}]`,
  "Databases with many numbers": `[${full(`${database(`{"a":[${full("1,", 2 * 1024 ** 2)}]}`)},`)}]`,
  "small Databases": `[${full(`${database("{}")},`)}]`,
  "one Database with many fields": `[${database(`{${full('"":1,')}}`)}]`,
};

for (const [what, objects] of Object.entries(floods)) {
  test(`${what}, as many as the port takes, are not laid out in memory`, async () => {
    const before = process.memoryUsage().rss;
    await answered(objects);
    const grown = process.memoryUsage().rss - before;
    assert.ok(grown < 10 * most, `${Math.round(grown / 1e6)} MB more`);
  });
}

test("while a long list is converted, whatever else is due comes in between", async () => {
  let turns = 0;
  const count = setInterval(() => turns++, 1);
  await answered(floods["small Databases"]);
  clearInterval(count);
  assert.ok(turns > 2, `${turns} turns`);
});
