/**
 * Tables of requests to the emulator, and their answers: `fixtures/emulator/operations/`. A file lists worlds, each with
 * the `settings` of a scenario, the `regions` of its account (or `sample`, for the official samples), and `rows` by
 * operation: what is answered, the parameters besides Action, Version and Region, and the code of a refusal or a part of
 * the answer. A key of an answer with dots is a path to exactly this; of a list, to the values of all its rows, or
 * `absent`. In a list of texts, `asg*120` is 120 IDs. `more` adds so many elements to lists of the first region.
 */
import type { Emulator, ScenarioInput } from '../../src/emulator/emulator.ts';
import { ask } from './ask.ts';
import type { RegionInput } from './emulator.ts';
import { fixtureOf } from './rows.ts';
import { sampleScenario } from './sample-scenario.ts';

/** What is answered, parameters, and a part of `Response`. A text is the code of an error. */
type AnswerRow = readonly [what: string, parameters: object, expected: string | object];

interface World {
  readonly when?: string;
  readonly settings?: Partial<ScenarioInput>;
  readonly sample?: true;
  readonly regions?: RegionInput[];
  readonly more?: Readonly<Record<string, { readonly id: string }>>;
  readonly rows: Readonly<Record<string, readonly AnswerRow[]>>;
}

export const worldFiles = ['launch-templates', 'launches', 'quotas', 'stock', 'subnets'] as const;

export const worldsOf = (file: (typeof worldFiles)[number]) =>
  fixtureOf<readonly World[]>(`emulator/operations/${file}`);

export function scenarioOf({ settings, sample, regions = [], more = {} }: World): ScenarioInput {
  if (sample) return sampleScenario;
  const [first, ...others] = regions as unknown as Record<string, unknown[]>[];
  const lists = Object.entries(more).map(([name, { id: prefix, ...element }]) => [
    name,
    [...(first![name] ?? []), ...many(`${prefix}*120`).map((id) => ({ ...element, id }))],
  ]);
  const all = [{ ...first, ...Object.fromEntries(lists) }, ...others] as RegionInput[];
  return { requests_per_second: 1_000, ...settings, accounts: [{ name: 'a', regions: all }] };
}

/** The IDs that a text such as `asg*120` stands for; of another text, the text. */
function many(text: string): readonly string[] {
  const [, prefix, count = 0] = /^([a-z]+)\*(\d+)$/i.exec(text) ?? [];
  if (prefix === undefined) return [text];
  return Array.from({ length: Number(count) }, (_, n) => `${prefix}-${String(n).padStart(8, '0')}`);
}

type Region = NonNullable<ScenarioInput['accounts'][number]['regions']>[number];

/** A service with this region of one account, by default `ap-guangzhou`. */
export const regionScenario = (
  region: Partial<Region>,
  settings: Partial<ScenarioInput> = {},
): ScenarioInput => ({
  ...settings,
  accounts: [{ name: 'a', regions: [{ name: 'ap-guangzhou', ...region }] }],
});

/** Filters in the form of a query. */
export function filters(...given: readonly (readonly [name: string, ...values: string[]])[]) {
  return flat({ Filters: given.map(([Name, ...Values]) => ({ Name, Values })) });
}

/** Parameters with maps and lists in them, in the form of a query: `Placement.Zone`. */
export const flat = (given: object, path = ''): Record<string, string> =>
  Object.assign(
    {},
    ...Object.entries(given).map(([name, value]: [string, unknown]) => {
      const texts = Array.isArray(value) && typeof value[0] === 'string';
      const whole = texts ? (value as string[]).flatMap(many) : value;
      return typeof whole === 'object' && whole !== null
        ? flat(whole, `${path}${name}.`)
        : { [path + name]: String(whole) };
    }),
  ) as Record<string, string>;

/** The fields of `Response`. */
export function answerOf(
  emulator: Emulator,
  parameters: Readonly<Record<string, string>>,
): Readonly<Record<string, unknown>> {
  const isScaling = /AutoScaling|LaunchConfiguration/.test(parameters.Action ?? '');
  const Version = isScaling ? '2018-04-19' : '2017-03-12';
  const common = { Version, Region: 'ap-guangzhou' };
  const local = { host: '127.0.0.1' };
  return ask(emulator, { ...common, ...parameters }, local).response as Record<string, unknown>;
}
