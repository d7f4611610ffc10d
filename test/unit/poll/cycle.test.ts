import { expect, test } from 'vitest';
import { collectors } from '../../../src/collectors/collectors.ts';
import type { Target } from '../../../src/model/target.ts';
import { visitInWaves } from '../../../src/poll/cycle.ts';
import { quotaTarget, templateListTarget, templateTarget } from '../../support/fake-monitor.ts';

const finder = collectors.regionDiscovery!.target('production');
const region = (name: string) => [
  quotaTarget('production', name),
  templateListTarget('production', name),
];
const template = (name: string, id: string) => templateTarget('production', name, id);

interface Step {
  /** The visit that ends. Without one, the cycle begins. */
  readonly end?: string;
  /** What the plan has after it, too. */
  readonly finds?: readonly Target[];
  /** The visits that begin then. Defaults to none. */
  readonly begun?: readonly string[];
}

test.each<[string, Target[], readonly Step[]]>([
  [
    'lists and quotas are asked first, and the templates of a region after its own list',
    [...region('ap-a'), ...region('ap-b')],
    [
      {
        begun: [
          'ap-a AccountQuota',
          'ap-a LaunchTemplates',
          'ap-b AccountQuota',
          'ap-b LaunchTemplates',
        ],
      },
      { end: 'ap-a LaunchTemplates', finds: [template('ap-a', 'lt-1')], begun: ['ap-a lt-1'] },
      { end: 'ap-b LaunchTemplates', finds: [template('ap-b', 'lt-2')], begun: ['ap-b lt-2'] },
      { end: 'ap-a AccountQuota' },
      { end: 'ap-b AccountQuota' },
      { end: 'ap-a lt-1' },
      { end: 'ap-b lt-2' },
    ],
  ],
  [
    'no region waits for another one, and the regions that are known do not wait for their list',
    [finder, ...region('ap-a'), ...region('ap-slow')],
    [
      {
        begun: [
          'Regions',
          'ap-a AccountQuota',
          'ap-a LaunchTemplates',
          'ap-slow AccountQuota',
          'ap-slow LaunchTemplates',
        ],
      },
      { end: 'ap-a LaunchTemplates', finds: [template('ap-a', 'lt-1')], begun: ['ap-a lt-1'] },
    ],
  ],
  [
    'a region that the list of regions finds is visited in the same cycle, and no target twice',
    [finder, ...region('ap-a')],
    [
      { begun: ['Regions', 'ap-a AccountQuota', 'ap-a LaunchTemplates'] },
      {
        end: 'Regions',
        finds: region('ap-new'),
        begun: ['ap-new AccountQuota', 'ap-new LaunchTemplates'],
      },
    ],
  ],
])('%s', async (_name, targets, steps) => {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const done = visitInWaves({
    collectors,
    targets: () => targets,
    visit: ({ operation, region: place, resource }) => {
      const what = resource?.template_id ?? operation.replace(/^Describe/, '');
      const name = what === 'Regions' ? what : `${place} ${what}`;
      begun.push(name);
      return new Promise((resolve) => ends.set(name, resolve));
    },
  });

  for (const { end, finds = [], begun: expected = [] } of steps) {
    targets.push(...finds);
    if (end !== undefined) ends.get(end)!();
    await new Promise(setImmediate);
    expect(begun.splice(0).toSorted()).toEqual(expected);
  }

  for (const end of ends.values()) end();
  await done;
});
