import { expect, test } from 'vitest';
import { collectors } from '../../../src/collectors/collectors.ts';
import { loadConfig, parseConfig } from '../../../src/config/config.ts';
import { planTargets } from '../../../src/collectors/plan.ts';
import { targetKey } from '../../../src/model/target.ts';
import { rowsOf } from '../../support/rows.ts';

const minimal = `
accounts:
  - name: production
    regions: [ap-guangzhou]
`;

const ofTemplates = (selection: string) =>
  `quota_types: []\n    regions: [{ name: ap-guangzhou, launch_templates: ${selection} }]`;
const discoveredRegions = [
  'production@ap-guangzhou@DescribeRegions',
  'production@*@DescribeAccountQuota',
];
const everyTemplate = ['production@ap-guangzhou@DescribeLaunchTemplates'];

test.each([
  ['regions: all', discoveredRegions],
  ['regions: {}', discoveredRegions],
  ['regions: { except: [ap-seoul] }', discoveredRegions],
  [ofTemplates('all'), everyTemplate],
  [ofTemplates('{}'), everyTemplate],
  [ofTemplates('{ names: [web-*] }'), everyTemplate],
  [ofTemplates('{ tags: { env: prod } }'), everyTemplate],
  [
    ofTemplates('[lt-b8v1kcyq]'),
    ['production@ap-guangzhou@DescribeLaunchTemplateVersions@lt-b8v1kcyq'],
  ],
])(
  'an account with %s is watched by what its configuration names or discovery finds',
  (keys, plan) => {
    const config = parseConfig(minimal.replace('regions: [ap-guangzhou]', keys), 'f', collectors);

    expect(planTargets(config, collectors).map(targetKey)).toEqual(plan);
  },
);

test('a file that is not there is named, with the reason', async () => {
  await expect(loadConfig('/nowhere/c.yaml', collectors)).rejects.toThrow(
    /^\/nowhere\/c\.yaml: the file cannot be read: ENOENT/,
  );
});

test.each(rowsOf<[string, string, object]>('config', 'parts-of-a-configuration'))(
  'a configuration gives %s',
  (_what, text, expected) => {
    expect(parseConfig(`${text}${minimal}`, 'f', collectors)).toMatchObject(expected);
  },
);

test('a configuration gives the labels of each account, of which each may have others', () => {
  const labels = [{ team: 'payments', cost_center: '7' }, {}, { squad: 'x' }];
  const accounts = labels.map((each, i) => ({ name: `a${i}`, regions: ['ap-x'], labels: each }));

  const config = parseConfig(JSON.stringify({ accounts }), 'f', collectors);

  expect(config.accounts.map((account) => account.labels)).toEqual(labels);
});
