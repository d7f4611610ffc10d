/** The keys of launches: what is accepted, and where each mistake is. */
import { expect, test } from 'vitest';
import { problemsOf } from '../../support/config-problems.ts';

const fileOf = (account: string, region: string, top = '') => `${top}
accounts:
  - name: production
    credentials: { type: none }
    ${account}
    regions: [{ name: ap-guangzhou, ${region} }]
`;

test.each([
  ['launches: true', 'instance_types: [S5.LARGE8]', ''],
  ['launches: true', 'instance_types: [{ type: S5.LARGE8, zones: [ap-guangzhou-3] }]', ''],
  ['launches: false', 'subnets: [subnet-bthucmmy]', ''],
  ['launches: true', '', 'api: { endpoint: "https://{service}.example" }'],
])('%s with %s is accepted', (account, region, top) => {
  expect(problemsOf(fileOf(account, region, top))).toEqual([]);
});

test.each([
  ['launches: 1', '', '', '5:15: accounts[0].launches: '],
  ['', 'instance_types: [S5.LARGE8]', '', '6:53: accounts[0].regions[0].instance_types: '],
  ['launches: true', 'instance_types: [S5]', '', 'accounts[0].regions[0].instance_types[0]'],
  [
    'launches: true',
    'instance_types: [A.B1, A.B1]',
    '',
    'instance_types[1]: the instance type A.B1',
  ],
  [
    'launches: true',
    'instance_types: [{ type: S5.LARGE8, zones: [ap-shanghai-2] }]',
    '',
    'instance_types[0].zones[0]: is not a zone of ap-guangzhou',
  ],
  ['launches: true', 'subnets: [vpc-1]', '', 'subnets[0]: expected a subnet ID'],
  [
    'launches: true',
    '',
    'api: { endpoint: "https://cvm.example" }',
    'api.endpoint: launches also ask vpc: write {service}',
  ],
  [
    '',
    '',
    'thresholds: { overrides: [{ charge_types: [hourly], muted: true }] }',
    'charge_types[0]',
  ],
])('%s with %s %s is a mistake with its place', (account, region, top, problem) => {
  const [first, ...others] = problemsOf(fileOf(account, region, top));

  expect(first).toContain(problem);
  expect(others).toEqual([]);
});
