import { describe, expect, test } from 'vitest';
import { collectors } from '../../../../../src/collectors/collectors.ts';
import { credentialsKeys } from '../../../../../src/config/credentials-names.ts';
import {
  configText,
  type Answers,
  type WatchedTemplates,
} from '../../../../../src/commands/run/init/config-text.ts';
import { parseConfig } from '../../../../../src/config/config.ts';
import { credentialsSchema } from '../../../../../src/config/credentials-schema.ts';

const answers: Answers = {
  account: 'production',
  credentials: { type: 'environment' },
  endpoint: null,
  regions: new Map<string, WatchedTemplates>([
    ['ap-guangzhou', [{ id: 'lt-1', name: 'web' }]],
    ['ap-seoul', 'all'],
    ['ap-shanghai', []],
  ]),
  everyTemplate: false,
};
const parsed = (each: Answers) => parseConfig(configText(each), 'config.yaml', collectors);

describe('the text of a new configuration', () => {
  test('says what was answered, with the name of each template beside its ID', () => {
    expect(parsed(answers).accounts).toMatchObject([
      {
        name: 'production',
        credentials: { type: 'environment' },
        regions: [
          { name: 'ap-guangzhou', settings: { launch_templates: ['lt-1'] } },
          { name: 'ap-seoul', settings: { launch_templates: 'all' } },
          { name: 'ap-shanghai', settings: {} },
        ],
      },
    ]);
    expect(configText(answers)).toMatch(/- lt-1 # web\n/);
  });

  test.each([
    ['every region', false, undefined],
    ['every region and template', true, 'all'],
  ])('watches %s', (_what, everyTemplate, launch_templates) => {
    const [account] = parsed({ ...answers, regions: null, everyTemplate }).accounts;

    expect(account?.everyRegion?.settings.launch_templates).toBe(launch_templates);
  });

  test.each([
    'a: b # c',
    '"quoted\' \\',
    'two\nlines\n- lt-2',
    '\r\n- lt-3\u2028- lt-4\u0085- lt-5',
    '中文 🙂',
    ' ',
  ])('is the same whatever a template is called: %j', (name) => {
    const named = { ...answers, regions: new Map([['ap-seoul', [{ id: 'lt-1', name }]]]) };

    expect(parsed(named).accounts[0]?.regions).toMatchObject([
      { name: 'ap-seoul', settings: { launch_templates: ['lt-1'] } },
    ]);
  });

  test.each(['true', '1e3', '007', 'null', '0x1F', 'a.b-c'])(
    'quotes an account name that YAML would read as another type: %s',
    (account) => {
      expect(parsed({ ...answers, account }).accounts[0]?.name).toBe(account);
    },
  );
});

test('init has a flag for every key of credentials but the name and the duration of a session', () => {
  const left = ['type', 'session_name', 'duration'];
  const keysOf = credentialsSchema.options.map(({ shape }): [string, string[]] => {
    const keys = Object.keys(shape).filter((key) => !left.includes(key));
    return [shape.type.value, keys.toSorted()];
  });

  const flags = Object.entries(credentialsKeys).map(([type, keys]) => [
    type,
    Object.keys(keys).toSorted(),
  ]);
  expect(Object.fromEntries(flags)).toEqual(Object.fromEntries(keysOf));
});
