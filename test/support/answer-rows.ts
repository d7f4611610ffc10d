/** Tables of requests to an operation of the emulator, over HTTP, and their answers. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  startEmulator,
  type RunningEmulator,
  type ScenarioInput,
} from '../../src/emulator/emulator.ts';

/** A request besides Action, Version and Region, and a part of `Response`. A text is the code of an error. */
export type AnswerRow = readonly [
  name: string,
  parameters: Readonly<Record<string, string>>,
  expected: string | Readonly<Record<string, unknown>>,
];

/** Filters in the form of a query. */
export function filters(...given: readonly (readonly [name: string, ...values: string[]])[]) {
  return Object.fromEntries(
    given.flatMap(([name, ...values], index) => [
      [`Filters.${index}.Name`, name],
      ...values.map((value, n) => [`Filters.${index}.Values.${n}`, value]),
    ]),
  ) as Record<string, string>;
}

export async function answerOf(
  { url }: { readonly url: string },
  parameters: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<Readonly<Record<string, unknown>>> {
  const query = new URLSearchParams({
    Version: '2017-03-12',
    Region: 'ap-guangzhou',
    ...parameters,
  });
  const answer = await fetch(`${url}/?${query.toString()}`, { headers });
  const { Response: response } = (await answer.json()) as {
    Response: Readonly<Record<string, unknown>>;
  };
  return response;
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
  let emulator: RunningEmulator;
  beforeAll(async () => {
    emulator = await startEmulator({ scenario: { requests_per_second: 1_000, ...scenario } });
  });
  afterAll(() => emulator.close());

  const suffix = when && `, ${when}`;
  test.each(rows)(`${action} answers %s${suffix}`, async (_name, parameters, expected) => {
    const response = await answerOf(emulator, { Action: action, ...parameters });

    expect(response).toMatchObject(
      typeof expected === 'string' ? { Error: { Code: expected } } : expected,
    );
    expect(response.RequestId).toMatch(/^[0-9a-f-]{36}$/);
    if (typeof expected !== 'string') expect(response).not.toHaveProperty('Error');
  });
}
