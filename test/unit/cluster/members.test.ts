import { expect, it } from 'vitest';
import { configurationHash } from '../../../src/cluster/members.ts';
import { collectors } from '../../../src/collectors/collectors.ts';
import { parseConfig } from '../../../src/config/config.ts';
import { rowsOf } from '../../support/rows.ts';

const text = `
poll: { schedule: "*/5 * * * *" }
thresholds: { warning: 20%, overrides: [{ zones: [ap-x-1], muted: true, until: 2099-12-31 }] }
accounts:
  - { name: a, labels: { team: x, squad: u }, regions: [ap-guangzhou, { name: ap-shanghai, zones: [ap-shanghai-2] }] }
cluster: { name: c, redis: { url: "redis://valkey" } }
`;
const hashOf = (each: string) => configurationHash(parseConfig(each, 'f', collectors));

it('the hash of a configuration is the same for two files that say the same', () => {
  const other = text
    .replace('poll:', '# A comment.\npoll:')
    .replace('"*/5 * * * *"', "'*/5 * * * *'")
    .replace('zones: [ap-x-1], muted: true', 'muted: true, zones: [ap-x-1]')
    .replace('team: x, squad: u', 'squad: u, team: x');

  expect(other).not.toBe(text);
  expect(hashOf(other)).toBe(hashOf(text));
  expect(hashOf(text)).toMatch(/^[0-9a-f]{12}$/);
});

it.each(rowsOf<[string, string]>('config', 'other-configurations'))(
  'the hash of a configuration differs when %s becomes %s',
  (from, to) => {
    const other = text.replace(from, to);

    expect(other).not.toBe(text);
    expect(hashOf(other)).not.toBe(hashOf(text));
  },
);
