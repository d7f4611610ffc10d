import { compareVersions } from '../../../../src/collectors/launch-template/compare.ts';
import { newRecord } from '../../../helpers/advance.ts';
import type { LaunchTemplateRecord } from '../../../../src/collectors/launch-template/launch-template.ts';
import type { LaunchTemplateSnapshot } from '../../../../src/collectors/launch-template/answer.ts';
import { templateSnapshot } from '../../../helpers/snapshots.ts';
import { describe, expect, it } from 'vitest';

const nowMs = 1_700_000_000_000;

/** A template's versions, and the default one of them; `null` when that is in doubt. */
type Answer = readonly [
  versions: readonly number[],
  defaultVersion: number | null,
  unidentified?: number,
];

function snapshot([versions, version, unidentified = 0]: Answer): LaunchTemplateSnapshot {
  const data = { imageId: 'img-1', instanceType: 'S5.MEDIUM4', chargeType: 'SPOTPAID' };
  const defaultVersion = version === null ? null : { version, ...data };
  return templateSnapshot({ versions, defaultVersion, unidentified });
}

/** The record after these polls, a minute apart, and what the last of them found. */
function poll(...answers: readonly Answer[]) {
  let record = newRecord({
    operation: 'DescribeLaunchTemplateVersions',
    account: 'production',
    region: 'ap-guangzhou',
    resource: { template_id: 'lt-b8v1kcyq' },
  }) as LaunchTemplateRecord;
  let last: ReturnType<typeof compareVersions>['differences'] = [];
  for (const [index, answer] of answers.entries()) {
    const after = snapshot(answer);
    const compared = compareVersions(record, after, nowMs + index * 60_000);
    record = { ...record, counted: compared.counted };
    last = compared.differences;
  }
  return { record, last };
}

const moved = (from: number, to: number) => ({ kind: 'default-version-changed', from, to });
const created = (to: number) => ({ kind: 'version-created', from: null, to });
const deleted = (from: number) => ({ kind: 'version-deleted', from, to: null });

describe('compareVersions', () => {
  it.each<[string, Answer[], unknown[]]>([
    ['the first answer', [[[1, 2], 2]], []],
    [
      'the same answer',
      [
        [[1, 2], 2],
        [[1, 2], 2],
      ],
      [],
    ],
    [
      'a default that moved forward',
      [
        [[1, 2], 1],
        [[1, 2], 2],
      ],
      [moved(1, 2)],
    ],
    [
      'a default that moved backward',
      [
        [[1, 2], 2],
        [[1, 2], 1],
      ],
      [moved(2, 1)],
    ],
    [
      'a version that was created',
      [
        [[1], 1],
        [[1, 2], 1],
      ],
      [created(2)],
    ],
    [
      'a version that was deleted',
      [
        [[1, 2], 1],
        [[1], 1],
      ],
      [deleted(2)],
    ],
    [
      'a new version that is the default',
      [
        [[1], 1],
        [[1, 47], 47],
      ],
      [created(47), moved(1, 47)],
    ],
    [
      'a default that was deleted',
      [
        [[1, 2], 2],
        [[1], 1],
      ],
      [deleted(2), moved(2, 1)],
    ],
    [
      'a default that is none of the versions',
      [
        [[1, 2], 1],
        [[1, 2], 9],
      ],
      [moved(1, 9)],
    ],
    [
      'an answer without a default',
      [
        [[1, 2], 1],
        [[1, 2], null],
      ],
      [],
    ],
    [
      'the same default after doubt',
      [
        [[1, 2], 1],
        [[1, 2], null],
        [[1, 2], 1],
      ],
      [],
    ],
    [
      'another default after doubt',
      [
        [[1, 2], 1],
        [[1, 2], null],
        [[1, 2], 2],
      ],
      [moved(1, 2)],
    ],
    [
      'the first default after none',
      [
        [[1, 2], null],
        [[1, 2], 2],
      ],
      [],
    ],
    [
      'versions that cannot be read',
      [
        [[1, 2], 1],
        [[], null, 2],
      ],
      [],
    ],
    [
      'versions that can be read again',
      [
        [[1, 2], 1],
        [[], null, 2],
        [[1, 2], 1],
      ],
      [],
    ],
    [
      'a version that was created beside a row that is never read',
      [
        [[1], 1, 1],
        [[1, 2], 2, 1],
      ],
      [created(2), moved(1, 2)],
    ],
    [
      'a template without versions',
      [
        [[1, 2], 1],
        [[], null],
      ],
      [deleted(1), deleted(2)],
    ],
  ])('finds in %s what changed', (_, answers, expected) => {
    expect(poll(...answers).last).toEqual(expected);
  });

  it('counts every change, and tells when the default last moved', () => {
    const { record } = poll([[1], 1], [[1, 2, 3], 3], [[1, 3], 1], [[1, 3], 1]);

    expect(record).toMatchObject({
      lastDefaultVersion: 1,
      defaultVersionChanges: 2,
      defaultVersionChangedAtMs: nowMs + 120_000,
      versionsCreated: 2,
      versionsDeleted: 1,
    });
  });

  it('starts with counters at 0 and no time of a change', () => {
    const { record } = poll([[1, 2], 2]);

    expect(record).toMatchObject({
      lastDefaultVersion: 2,
      defaultVersionChanges: 0,
      defaultVersionChangedAtMs: null,
      versionsCreated: 0,
      versionsDeleted: 0,
    });
  });
});
