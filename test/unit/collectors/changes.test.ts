/** The changes that polls of lists and quotas find. */
import { expect, it } from 'vitest';
import { collectors } from '../../../src/collectors/collectors.ts';
import { templatesToPoll } from '../../../src/collectors/launch-template-list.ts';
import type { Target } from '../../../src/model/target.ts';
import { quotaTarget, templateListTarget, templateTarget } from '../../support/fake-monitor.ts';
import { PolledTarget } from '../../support/polled-target.ts';
import { fixtureOf } from '../../support/rows.ts';

const place = ['production', 'ap-guangzhou'] as const;
const regions = collectors.regionDiscovery!.target('production');
const templates: Target = { ...templateListTarget(...place), maxWatched: 3 } as Target;
const selection = { names: ['web-*'], tags: {} };
const targets: Readonly<Record<string, Target>> = {
  regions,
  templates,
  'templates of the selection web-*': { ...templates, selection } as Target,
  versions: templateTarget(...place, 'lt-1'),
  quotas: quotaTarget(...place),
};

const set = (name: string, rows: readonly object[]) => ({ [name]: rows, TotalCount: rows.length });
const quotaRow = (text: string) => {
  const [zone, limit = '10', used = '1'] = text.split(/[:/]/);
  const amounts = { UsedQuota: Number(used), RemainingQuota: Number(limit) - Number(used) };
  const TotalQuota = limit === '?' ? null : Number(limit);
  return { Zone: `ap-guangzhou-${zone}`, ...amounts, TotalQuota };
};

/** The answer of an operation whose rows the fixture has in its words. */
function answerOf(operation: string, text: string): object {
  const rowsBy = (rowOf: (token: string) => object, own = text) =>
    own.split(' ').flatMap((token) => (token === '' ? [] : token === '?' ? {} : rowOf(token)));
  switch (operation) {
    case 'DescribeRegions':
      return set(
        'RegionSet',
        rowsBy((name) => ({ Region: name, RegionState: 'AVAILABLE' })),
      );
    case 'DescribeLaunchTemplates': {
      const rowOf = (token: string) => {
        const [id, name = `web-${id}`] = token.split('=');
        return { LaunchTemplateId: `lt-${id}`, LaunchTemplateName: name || null };
      };
      return set('LaunchTemplateSet', rowsBy(rowOf));
    }
    case 'DescribeLaunchTemplateVersions': {
      const rowOf = (token: string) => {
        return { LaunchTemplateVersion: parseInt(token), IsDefaultVersion: token.endsWith('*') };
      };
      return set('LaunchTemplateVersionSet', rowsBy(rowOf));
    }
    default: {
      const [own, spot] = text.split('|').map((each) => rowsBy(quotaRow, each));
      const AccountQuota = { PostPaidQuotaSet: own, SpotPaidQuotaSet: spot };
      return { AppId: 7, AccountQuotaOverview: { AccountQuota } };
    }
  }
}

interface Case {
  readonly what: string;
  readonly polls: readonly string[];
  readonly watched?: readonly string[];
}
const fixture = fixtureOf<Readonly<Record<string, readonly Case[]>>>('collectors/changes');

it.each(
  Object.entries(fixture).flatMap(([kind, cases]) =>
    cases.map(({ what, ...given }) => [kind, what, given] as const),
  ),
)('the changes of %s are those of %s', async (kind, _what, { polls, watched }) => {
  const polled = new PolledTarget(targets[kind]!);
  const { operation } = polled.record.target;
  for (const poll of polls) {
    const [answer = '', changes = ''] = poll.split('=> ');
    const found = await polled.poll(answerOf(operation, answer));
    expect(found.changes.toSorted()).toEqual(changes.split('; ').filter(Boolean).toSorted());
  }
  const replaced = polls.filter((poll) => poll.includes('list-replaced')).length;
  const counter = Object.entries(polled.metrics()).find(([name]) => name.includes('_replaced_'));
  expect(counter?.[1] ?? 0).toBe(replaced);
  if (watched === undefined) return;
  const { record } = polled;
  const ids = collectors.of(record.target).regionDiscovery?.regions(record);
  expect(ids ?? templatesToPoll([record]).map(({ id }) => id)).toEqual(watched);
});
