/** The costs of a whole poll beside those of the mere call with the official SDK, and the parts of such a poll. */
import { formatRecord } from '../../../src/state/record-file.ts';
import { compare, interleave, type Measurement } from '../harness.ts';
import type { Cost } from '../sides/side.ts';
import type { Side, Workbench } from '../workbench.ts';
import { configOf, recordsOf, type Workload } from '../workload.ts';

const polls = [
  { side: 'nothing', what: 'CPU of a quiet poll, 10 at a time', most: 1.5 },
  { side: 'used', what: 'CPU of a poll that finds another use, 10 at a time', most: 6 },
  { side: 'limit', what: 'CPU of a poll that finds a change, 10 at a time', most: 6 },
] as const;

/** What a poll cannot do without. */
const parts = [
  { side: 'requests', what: 'CPU of a request with undici alone, 10 at a time' },
  { side: 'unstored', what: 'CPU of a poll that finds a change, records in memory only' },
  { side: 'writes', what: 'CPU of a durable write and a rename of a record, 10 at a time' },
] as const;

const allocations = [
  { side: 'nothing', what: 'memory that a quiet poll allocates' },
  { side: 'limit', what: 'memory that a poll that finds a change allocates' },
  { side: 'requests', what: 'memory that a request with undici alone allocates' },
] as const;

/** A round of so many is warm. */
const cyclesPerRound = 4;

export const pollCost: Measurement = {
  name: 'poll-cost',
  async run({ rounds, sized }, workbench) {
    // Twenty regions an account, so that no poll of a cycle waits for another of it.
    const workload = { accounts: sized(100), regionsPerAccount: 20, zonesPerRegion: 2 };
    const sdk = await bareCalls(workbench, workload);
    const nothing = await wholePolls(workbench, { workload, differs: 'nothing' });
    const limit = await wholePolls(workbench, { workload, differs: 'limit' });
    const cpuOfPolls = await interleave(rounds, {
      nothing: costOf(nothing, 'cpu'),
      used: costOf(await wholePolls(workbench, { workload, differs: 'used' }), 'cpu'),
      limit: costOf(limit, 'cpu'),
      sdk: costOf(sdk, 'cpu'),
    });
    const requests = await bareRequests(workbench, workload);
    const unstored = { workload, differs: 'limit', isStored: false } as const;
    const cpuOfParts = await interleave(rounds, {
      requests: costOf(requests, 'cpu'),
      unstored: costOf(await wholePolls(workbench, unstored), 'cpu'),
      writes: costOf(await recordWrites(workbench, workload), 'cpu'),
      sdk: costOf(sdk, 'cpu'),
    });
    const allocated = await interleave(rounds, {
      nothing: costOf(nothing, 'allocation'),
      limit: costOf(limit, 'allocation'),
      requests: costOf(requests, 'allocation'),
      sdk: costOf(sdk, 'allocation'),
    });
    const besideName = 'bare call with the official SDK';
    return [
      ...polls.map(({ side, what, most }) =>
        compare({
          what,
          unit: 'ms',
          ours: cpuOfPolls[side],
          besideName,
          beside: cpuOfPolls.sdk,
          goal: { bound: 'at most', value: most },
        }),
      ),
      ...parts.map(({ side, what }) =>
        compare({ what, unit: 'ms', ours: cpuOfParts[side], besideName, beside: cpuOfParts.sdk }),
      ),
      ...allocations.map(({ side, what }) =>
        compare({ what, unit: 'kB', ours: allocated[side], besideName, beside: allocated.sdk }),
      ),
    ];
  },
};

function costOf(side: Side, cost: Cost): () => Promise<number> {
  return () => side.ask<number>(cost);
}

interface WholePolls {
  readonly workload: Workload;
  /** What each answer changes. */
  readonly differs: 'nothing' | 'used' | 'limit';
  /** Whether records are written to files. */
  readonly isStored?: boolean;
}

async function wholePolls(
  workbench: Workbench,
  { workload, differs, isStored = true }: WholePolls,
) {
  const service = await workbench.side('stub-service', { ...workload, differs });
  const config = configOf({ workload, endpoint: service.url, isSigned: true });
  return workbench.side('whole-polls', {
    configText: JSON.stringify(config),
    cycles: cyclesPerRound,
    storage: isStored ? await workbench.directory() : null,
  });
}

async function recordWrites(workbench: Workbench, workload: Workload) {
  const [record] = recordsOf(workload, Date.now());
  if (record === undefined) throw new Error('a workload without a target');
  return workbench.side('record-writes', {
    text: formatRecord(record),
    directory: await workbench.directory(),
    writes: workload.accounts * workload.regionsPerAccount,
  });
}

async function bareRequests(workbench: Workbench, workload: Workload) {
  const service = await workbench.side('stub-service', { ...workload, differs: 'nothing' });
  const requests = cyclesPerRound * workload.accounts * workload.regionsPerAccount;
  return workbench.side('bare-requests', { url: service.url, requests });
}

async function bareCalls(workbench: Workbench, workload: Workload) {
  const service = await workbench.side('stub-service', workload);
  const calls = cyclesPerRound * workload.accounts * workload.regionsPerAccount;
  return workbench.side('sdk-calls', { url: service.url, calls });
}
