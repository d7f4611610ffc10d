import { describe, expect, it } from 'vitest';
import { needsVersions } from '../../../../src/collectors/launch-template/due.ts';
import { compareVersions } from '../../../../src/collectors/launch-template/compare.ts';
import {
  newLaunchTemplateRecord,
  type LaunchTemplateRecord,
} from '../../../../src/collectors/launch-template/record.ts';
import type { LaunchTemplateTarget } from '../../../../src/collectors/launch-template/launch-template.ts';
import { templateTarget, versions } from '../../../helpers/fake-monitor.ts';
import { templateSnapshot } from '../../../helpers/snapshots.ts';

const hourMs = 3_600_000;
const atMs = Date.UTC(2026, 1, 3);
const listed = { name: 'web', defaultVersion: 1, latestVersion: 2, versions: 2 };
const named = templateTarget('production', 'ap-guangzhou', 'lt-1');
const target: LaunchTemplateTarget = { ...named, listed };

/** A template whose versions were read at {@link atMs}, and the list said then what it says now. */
function read(snapshot = versions([1, 2], 1), own = target): LaunchTemplateRecord {
  const { record } = compareVersions(newLaunchTemplateRecord(own), snapshot, atMs);
  const freshness = { ...record.seen.freshness, lastPoll: { atMs, durationMs: 1 } };
  return { ...record, freshness };
}
const failure = { code: 'Timeout', message: '', requestId: null, sinceMs: atMs };

describe('the versions of a template of a list', () => {
  it('are not read again while the list says the same', () => {
    expect(needsVersions(read(), atMs)).toBe(false);
  });

  it('are not read again because the latest version was deleted', () => {
    expect(needsVersions(read(versions([1], 1)), atMs)).toBe(false);
  });

  it('are read once an hour all the same', () => {
    const minutes = Array.from({ length: 61 }, (_, minute) => minute * 60_000);
    const due = minutes.map((later) => needsVersions(read(), atMs + later));

    expect(needsVersions(read(), atMs + hourMs)).toBe(true);
    // It becomes due once, and stays due.
    expect(due.lastIndexOf(false)).toBeLessThan(due.indexOf(true));
  });

  it.each<[string, LaunchTemplateRecord]>([
    ['it is new', newLaunchTemplateRecord(target)],
    ['the configuration names it', read(undefined, named)],
    [
      'a number in the list moved',
      { ...read(), target: { ...target, listed: { ...listed, defaultVersion: 2 } } },
    ],
    [
      'a number in the list moved that the versions do not contradict',
      { ...read(), target: { ...target, listed: { ...listed, versions: 3 } } },
    ],
    [
      'a number in the list is unknown',
      read(undefined, { ...target, listed: { ...listed, versions: null } }),
    ],
    ['its row in the list is unknown', { ...read(), target: { ...target, listed: null } }],
    ['another version was the default when they were read', read(versions([1, 2], 2))],
    [
      'no version was the default when they were read',
      read(templateSnapshot({ versions: [1, 2], defaultVersion: null })),
    ],
    ['a version was new when they were read', read(versions([1, 2, 3], 1))],
    ['the last answer failed', { ...read(), freshness: { ...read().freshness, failure } }],
    ['the last answer was incomplete', read({ ...versions([1, 2], 1), missing: ['version 2'] })],
    ['its snapshot is unknown', { ...read(), snapshot: null }],
    ['its last poll is unknown', { ...read(), freshness: { ...read().freshness, lastPoll: null } }],
  ])('are read if %s', (_why, record) => {
    expect(needsVersions(record, atMs)).toBe(true);
  });
});
