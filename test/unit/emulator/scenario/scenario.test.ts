import { expect, test } from 'vitest';
import { createEmulator, type ScenarioInput } from '../../../../src/emulator/emulator.ts';
import { InvalidFileError } from '../../../../src/validation/problem.ts';
import { temporaryFile } from '../../../support/directories.ts';

const start = `accounts:
  - name: a
    regions:
      - name: ap-guangzhou
        zones:
          - { name: ap-guangzhou-3, postpaid: { limit: 5 } }
        launch_templates:
          - { id: lt-b8v1kcyq, default_version: 1, versions: [1, 2] }
`;

/** The problems of a file, as `line: path: message`. */
async function problemsOf(text: string): Promise<string[]> {
  const file = await temporaryFile('scenario.yaml', text);
  const error: unknown = await createEmulator({ scenario: file }).catch(
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(InvalidFileError);
  return (error as InvalidFileError).problems.map(
    ({ line, path, message }) => `${line}: ${path}: ${message}`,
  );
}

test('a file without mistakes is taken', async () => {
  const file = await temporaryFile('scenario.yaml', start);

  const { state } = await createEmulator({ scenario: file });

  const { versions } = state.template({ region: 'ap-guangzhou', template_id: 'lt-b8v1kcyq' });
  expect(versions.map(({ version }) => version)).toEqual([1, 2]);
});

const timeline = (entry: string) => `${start}timeline:\n  - ${entry}\n`;

const mistakes: readonly (readonly [text: string, problems: readonly string[]])[] = [
  [
    'acounts: []\n',
    ['1: accounts: is required (a list)', '1: acounts: unknown key; did you mean accounts?'],
  ],
  [`${start}    nam: b\n`, ['9: accounts[0].nam: unknown key; did you mean name?']],
  [`${start}  - { name: a }\n`, ['9: accounts[1]: a appears twice']],
  [`${start}requests_per_second: 0\n`, ['9: requests_per_second: must be at least 1']],
  [
    `${timeline('{ at: 1s, do: month-turn }')}timeline_repeats_every: 10s?\n`,
    ['11: timeline_repeats_every: expected a duration such as 30s, 5m or 1h'],
  ],
  [
    start.replace('ap-guangzhou-3', 'ap-shanghai-3'),
    ['6: accounts[0].regions[0].zones[0]: ap-shanghai-3 is not a zone of ap-guangzhou'],
  ],
  [
    start.replace('default_version: 1', 'default_version: 3'),
    ['8: accounts[0].regions[0].launch_templates[0].default_version: lt-b8v1kcyq has no version 3'],
  ],
  [
    start.replace('[1, 2]', '[1, 2, 2]'),
    ['8: accounts[0].regions[0].launch_templates[0].versions[2]: 2 appears twice'],
  ],
  [
    timeline(
      '{ at: 1s, do: set-default-version, region: ap-tokyo, template_id: lt-b8v1kcyq, version: 1 }',
    ),
    ['10: timeline[0].region: account a has no region ap-tokyo'],
  ],
  [
    timeline(
      '{ at: 1s, do: set-default-version, region: ap-guangzhou, template_id: lt-00000000, version: 1 }',
    ),
    ['10: timeline[0].template_id: ap-guangzhou has no template lt-00000000'],
  ],
  [
    timeline(
      '{ at: 1s, do: delete-version, region: ap-guangzhou, template_id: lt-b8v1kcyq, version: 7 }',
    ),
    ['10: timeline[0].version: lt-b8v1kcyq has no version 7'],
  ],
  [
    timeline('{ at: 1s, do: remove-zone, region: ap-guangzhou, zone: ap-guangzhou-9 }'),
    ['10: timeline[0].zone: ap-guangzhou has no zone ap-guangzhou-9'],
  ],
  [
    timeline('{ at: 1s, do: set-used, region: ap-guangzhou, quota_type: image, used: 1 }'),
    ['10: timeline[0].quota_type: ap-guangzhou has no image quota'],
  ],
  [
    timeline('{ at: 1s, do: set-used, region: ap-guangzhou, quota_type: postpaid, used: 1 }'),
    ['10: timeline[0].zone: is required for postpaid'],
  ],
  [timeline('{ at: 1s, account: b, do: month-turn }'), ['10: timeline[0].account: no account b']],
  [
    timeline('{ at: 700, do: month-turn }'),
    ['10: timeline[0].at: expected a duration such as 700ms or 30s, found a number'],
  ],
  [
    `${start}faults:\n  - { effect: latency, latency: 700 }\n`,
    [
      '10: faults[0].latency: expected a duration such as 700ms, or a map with min and max, found a number',
    ],
  ],
  [
    start.replace('[1, 2]', '[1, "2"]'),
    [
      '8: accounts[0].regions[0].launch_templates[0].versions[1]: expected a number such as 2, or a map with version, found a text',
    ],
  ],
  [
    `${start}  - { name: b }\n`,
    ['9: accounts[1]: has no keys, and a takes the requests that are not signed'],
  ],
  [
    `${start}  - { name: b, keys: [{ secret_id: i, secret_key: k }] }\n  - { name: c, keys: [{ secret_id: i, secret_key: l }] }\n`,
    ['10: accounts[2].keys[0].secret_id: is the ID of a key of b already'],
  ],
  [
    `${start}  - { name: b, keys: [{ secret_id: "i i", secret_key: k }] }\n`,
    ['9: accounts[1].keys[0].secret_id: expected letters, digits, _ and -'],
  ],
  [
    `${start}faults:\n  - { id: x, effect: hang }\n  - { id: x, effect: hang, account: b }\n`,
    ['11: faults[1].id: x appears twice', '11: faults[1].account: no account b'],
  ],
  [
    timeline('{ at: soon, do: month-turn }'),
    ['10: timeline[0].at: expected a duration such as 30s, 5m or 1h'],
  ],
  [
    `${timeline('{ at: 5s, do: month-turn }')}timeline_repeats_every: 5s\n`,
    ['11: timeline_repeats_every: must be after the last entry'],
  ],
  [
    `${timeline('{ at: 1s, do: delete-version, region: ap-guangzhou, template_id: lt-b8v1kcyq, version: 2 }')}timeline_repeats_every: 5s\n`,
    ['10: timeline[0].version: lt-b8v1kcyq has no version 2'],
  ],
  [
    `${start}faults:\n  - { effect: explode }\n`,
    [
      '10: faults[0].effect: must be one of latency, error, http-status, connection-reset, hang, truncated-body, slow-body, garbage, wrong-types, gzip-bomb, huge-body',
    ],
  ],
];

test.each(mistakes.map(([text, problems]) => ({ text, problems })))(
  'a mistake in a file is reported with its line and path: $problems',
  async ({ text, problems }) => {
    expect(await problemsOf(text)).toEqual(problems);
  },
);

test('every mistake of a value is shown at once', async () => {
  const text = `accounts:
  - name: a
    regions:
      - name: ap-guangzhou
        zones:
          - { name: ap-guangzhou-3, postpaid: { limit: many } }
          - { name: ap-guangzhou-4, postpaid: { limit: 5 } }
          - { name: ap-guangzhou-4, postpaid: { limit: 5 } }
        launch_templates:
          - { id: lt-b8v1kcyq, default_version: 9, versions: [1, 2] }
      - { name: ap-guangzhou }
timeline:
  - { at: soon, do: month-turn }
  - { at: 1s, do: set-used, region: ap-guangzhou, zone: ap-guangzhou-3, quota_type: postpaid, used: 1 }
  - { at: 1s, do: delete-version, region: ap-guangzhou, template_id: lt-b8v1kcyq, version: 1 }
  - { at: 2s, do: remove-zone, region: ap-tokyo, zone: ap-tokyo-1 }
`;

  expect((await problemsOf(text)).map((problem) => problem.split(': ', 2).join(': '))).toEqual([
    '6: accounts[0].regions[0].zones[0].postpaid.limit',
    '10: accounts[0].regions[0].launch_templates[0].default_version',
    '13: timeline[0].at',
  ]);
});

test.each([
  '&a [*a]',
  '&a [*a, *a, *a]',
  'accounts: &a [*a]',
  'accounts: [&a { name: a, regions: [*a] }]',
])('a file that contains itself is refused: %s', async (text) => {
  expect(await problemsOf(text)).not.toEqual([]);
});

test('an object is validated like a file', async () => {
  const account = { name: 'a', colour: 'red' };
  const scenario: ScenarioInput = { accounts: [account] };

  await expect(createEmulator({ scenario })).rejects.toThrow(
    'scenario: accounts[0].colour: unknown key',
  );
});
