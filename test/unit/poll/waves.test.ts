import { expect, test } from 'vitest';
import { collectors } from '../../../src/collectors/collectors.ts';
import type { Target } from '../../../src/model/target.ts';
import { visitInWaves } from '../../../src/poll/waves.ts';
import { quotaTarget, templateListTarget, templateTarget } from '../../support/fake-monitor.ts';

const account = 'production';
const finder = collectors.regionDiscovery!.target(account);
const region = (name: string) => [quotaTarget(account, name), templateListTarget(account, name)];
const template = (name: string, id: string) => templateTarget(account, name, id);

const nameOf = ({ operation, region: name, resource }: Target) =>
  [name, resource?.template_id ?? operation.replace(/^Describe/, '')].filter(Boolean).join(' ');

const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Visits of targets, each of which ends when a test says so. */
function begin(targets: Target[]) {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const done = visitInWaves({
    collectors,
    targets: () => targets,
    visit: (target) => {
      begun.push(nameOf(target));
      return new Promise((resolve) => ends.set(nameOf(target), resolve));
    },
  });
  return {
    done,
    /** Ends a visit, after which the plan has these targets too. Resolves with what began. */
    end: async (name: string, ...found: Target[]) => {
      targets.push(...found);
      begun.length = 0;
      ends.get(name)!();
      await settle();
      return begun.toSorted();
    },
    began: async () => {
      await settle();
      return begun.toSorted();
    },
  };
}

test('lists and quotas are asked first, and the templates of a region after its own list', async () => {
  const { began, done, end } = begin([...region('ap-a'), ...region('ap-b')]);
  expect(await began()).toEqual([
    'ap-a AccountQuota',
    'ap-a LaunchTemplates',
    'ap-b AccountQuota',
    'ap-b LaunchTemplates',
  ]);

  expect(await end('ap-a LaunchTemplates', template('ap-a', 'lt-1'))).toEqual(['ap-a lt-1']);
  expect(await end('ap-b LaunchTemplates', template('ap-b', 'lt-2'))).toEqual(['ap-b lt-2']);

  for (const name of ['ap-a AccountQuota', 'ap-b AccountQuota', 'ap-a lt-1', 'ap-b lt-2']) {
    expect(await end(name)).toEqual([]);
  }
  await done;
});

test('no region waits for another one, and the regions that are known do not wait for their list', async () => {
  const { began, end } = begin([finder, ...region('ap-slow'), ...region('ap-a')]);
  expect(await began()).toHaveLength(5);

  expect(await end('ap-a LaunchTemplates', template('ap-a', 'lt-1'))).toEqual(['ap-a lt-1']);
});

test('a region that the list of regions finds is visited in the same cycle, and no target twice', async () => {
  const { began, end } = begin([finder, ...region('ap-a')]);
  expect(await began()).toHaveLength(3);

  const found = await end(nameOf(finder), ...region('ap-new'));

  expect(found).toEqual(['ap-new AccountQuota', 'ap-new LaunchTemplates']);
});
