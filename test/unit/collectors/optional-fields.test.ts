/** What is read of each optional field of every answer while it is absent, null or unreadable, and what the JSON API shows of it. */
import { expect, it } from 'vitest';
import { collectors } from '../../../src/collectors/collectors.ts';
import type { Target } from '../../../src/model/target.ts';
import { answerByOperation, knownAnswers, targetOf } from '../../support/known-answers.ts';
import { PolledTarget } from '../../support/polled-target.ts';

// oxlint-disable-next-line typescript/no-explicit-any
type Json = any;
const at = (part: Json, keys: readonly string[]): Json =>
  keys.reduce((each, key) => each?.[key], part);

/** A copy of an answer with another value in a place. `undefined` takes the field away. */
function withField(answer: object, path: string, value: unknown): object {
  const copy = structuredClone(answer);
  const keys = path.split('.');
  at(copy, keys.slice(0, -1))[keys.at(-1)!] = value;
  return JSON.parse(JSON.stringify(copy)) as object;
}

/** What the record says at a place after an answer. */
async function readOf(target: Target, answer: object, reads: string): Promise<unknown> {
  const polled = new PolledTarget(target);
  // A list without a total ends with an empty page.
  expect(await polled.poll(answer, {})).toMatchObject({ code: null });
  const { record } = polled;
  const collector = collectors.of(target);
  const { launches, subnets } = collector.launchFacts(record);
  const regions = collector.regionDiscovery?.regions(record);
  const { snapshot } = record.observed;
  const quotas = collector.quotas(record);
  const value = at({ snapshot, launch: launches?.[0], subnets, quotas, regions }, reads.split('.'));
  return value === undefined ? 'none' : value;
}

it.each(
  knownAnswers.flatMap((given) =>
    (given.fields ?? []).map((each) => {
      const path = given.under === undefined ? each.field : `${given.under}.${each.field}`;
      return [given.operation, path, each.reads, given, each] as const;
    }),
  ),
)(
  'an answer of %s has %s, lacks it or has null, which is the same, or has it unreadable: %s',
  async (_operation, path, reads, given, { absent, odd, present, unreadable }) => {
    const { answer } = given;
    const own = targetOf(given);

    expect(await readOf(own, answer, reads)).toEqual(present);
    for (const value of [undefined, null]) {
      expect(await readOf(own, withField(answer, path, value), reads)).toEqual(absent);
    }
    for (const value of odd) {
      expect(await readOf(own, withField(answer, path, value), reads)).toEqual(unreadable);
    }
  },
);

it.each(collectors.all)(
  'the last answer of $operation is in JSON in the names of the metrics',
  async (collector) => {
    const given = answerByOperation.get(collector.operation)!;
    const polled = new PolledTarget(targetOf(given));
    await polled.poll(given.answer);

    expect(collector.json(polled.record.observed.snapshot!)).toEqual(given.json);
  },
);
