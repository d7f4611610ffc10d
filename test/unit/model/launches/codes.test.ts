import { expect, test } from 'vitest';
import { reasonOfCode } from '../../../../src/model/launches/codes.ts';
import { launchParts } from '../../../../src/model/launches/parts/parts.ts';

test.each([
  ['LimitExceeded.UserSpotQuota', 'quota'],
  ['ResourceInsufficient.InsufficientOfferingMinimum', 'sold-out'],
  ['ResourceUnavailable.InstanceType', 'not-offered'],
  ['LimitExceeded.VpcSubnetNum', 'subnet'],
  // One that is listed with its end, and ones that others begin with.
  ['InvalidImageId.NotFound', 'refused'],
  ['InvalidImageId', null],
  ['LimitExceeded.UserSpotQuota.Zone', null],
  // A quota of one type, which no part reads.
  ['LimitExceeded.SpotQuota', null],
  ['UnauthorizedOperation', null],
])('the code %s has the reason %s', (code, reason) => {
  expect(reasonOfCode(code)).toBe(reason);
});

test('no two reasons list a code', () => {
  const codes = launchParts
    .flatMap(({ reasons }) => Object.values(reasons))
    .flatMap((words) => words.codes);

  expect(new Set(codes).size).toBe(codes.length);
});
