import { expect, it } from 'vitest';
import type { PollContext } from '../../../../src/model/poll-outcome.ts';
import { unbounded } from '../../../helpers/api-client.ts';
import { templateListTarget } from '../../../helpers/fake-monitor.ts';
import { answerFields } from '../../../helpers/stub-service.ts';
import { stubbedClient } from '../../../helpers/stubbed-client.ts';

const target = templateListTarget('production', 'ap-guangzhou');

/** The offsets that a poll of 150 templates asks for. */
async function offsetsOf(context: Partial<PollContext>): Promise<unknown[]> {
  const set = Array.from({ length: 150 }, (_, i) => ({ LaunchTemplateId: `lt-${i}` }));
  const { client, service } = await stubbedClient(({ query }, response) => {
    const offset = Number(query.Offset);
    const LaunchTemplateSet = set.slice(offset, offset + Number(query.Limit));
    answerFields(response, { TotalCount: set.length, LaunchTemplateSet });
  });

  const { snapshot } = await client.poll(target, { ...unbounded(), ...context });

  expect(snapshot).toMatchObject({ templates: { length: 150 }, unidentified: 0, missing: [] });
  return service.requests.map(({ query }) => Number(query.Offset));
}

it('reads a list of several pages once if it says nothing new', async () => {
  expect(await offsetsOf({ isBaseline: false, findsChange: () => false })).toEqual([0, 100]);
});

it.each<[string, Partial<PollContext>]>([
  ['it says something new', { isBaseline: false, findsChange: () => true }],
  ['it is the first', { isBaseline: true, findsChange: () => false }],
  ['nothing is known', {}],
  ['it is not known whether it says something new', { isBaseline: false }],
])('reads a list of several pages twice if %s', async (_why, context) => {
  expect(await offsetsOf(context)).toEqual([0, 100, 0, 100]);
});
