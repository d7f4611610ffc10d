import { expect, it } from 'vitest';
import { listParameters } from '../../../../src/collectors/launch-template-list/request.ts';

it('asks for a page of 100, with a filter for each tag', () => {
  expect(listParameters({ names: ['web-*'], tags: { env: 'prod', team: 'a b' } }, 200)).toEqual([
    ['Filters.0.Name', 'tag:env'],
    ['Filters.0.Values.0', 'prod'],
    ['Filters.1.Name', 'tag:team'],
    ['Filters.1.Values.0', 'a b'],
    ['Offset', '200'],
    ['Limit', '100'],
  ]);
});
