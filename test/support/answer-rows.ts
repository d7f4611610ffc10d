/** Tables of requests to an operation of the emulator, and their answers. */
import { beforeAll, expect, test } from 'vitest';
import { createEmulator, type Emulator, type ScenarioInput } from '../../src/emulator/emulator.ts';
import { ask } from './ask.ts';

/** A request besides Action, Version and Region, and a part of `Response`. A text is the code of an error. */
export type AnswerRow = readonly [
  name: string,
  parameters: Readonly<Record<string, string>>,
  expected: string | Readonly<Record<string, unknown>>,
];

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
  return Object.fromEntries(
    given.flatMap(([name, ...values], index) => [
      [`Filters.${index}.Name`, name],
      ...values.map((value, n) => [`Filters.${index}.Values.${n}`, value]),
    ]),
  ) as Record<string, string>;
}

/** A list in the form of a query: `NAME.0`, `NAME.1`, … */
export const indexed = (name: string, values: readonly (string | number)[]) =>
  Object.fromEntries(values.map((value, index) => [`${name}.${index}`, String(value)]));

/** Parameters with maps and lists in them, in the form of a query: `Placement.Zone`. */
export const flat = (given: object, path = ''): Record<string, string> =>
  Object.assign(
    {},
    ...Object.entries(given).map(([name, value]: [string, unknown]) =>
      typeof value === 'object' && value !== null
        ? flat(value, `${path}${name}.`)
        : { [path + name]: String(value) },
    ),
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

/**
 * One test for each row.
 *
 * @param when what the scenario is about, for the names of the tests
 */
export function testRows(
  action: string,
  scenario: ScenarioInput,
  rows: readonly AnswerRow[],
  when = '',
): void {
  let emulator: Emulator;
  beforeAll(async () => {
    emulator = await createEmulator({ scenario: { requests_per_second: 1_000, ...scenario } });
  });

  const suffix = when && `, ${when}`;
  test.each(rows)(`${action} answers %s${suffix}`, (_name, parameters, expected) => {
    const response = answerOf(emulator, { Action: action, ...parameters });

    expect(response).toMatchObject(
      typeof expected === 'string' ? { Error: { Code: expected } } : expected,
    );
    expect(response.RequestId).toMatch(/^[0-9a-f-]{36}$/);
    if (typeof expected !== 'string') expect(response).not.toHaveProperty('Error');
  });
}
