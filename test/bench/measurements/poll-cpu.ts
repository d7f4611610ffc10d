/** CPU of a whole poll beside that of the mere call with the official SDK, and the parts of such a poll. */
import { formatRecord } from '../../../src/state/record-file.ts';
import { compare, interleave, type Measurement } from '../harness.ts';
import type { Surroundings } from '../surroundings.ts';
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

/** A round of so many is warm. */
const cyclesPerRound = 4;

export const pollCpu: Measurement = {
  name: 'poll-cpu',
  async run({ rounds, sized }, surroundings) {
    // Twenty regions an account, so that no poll of a cycle waits for another of it.
    const workload = { accounts: sized(100), regionsPerAccount: 20, zonesPerRegion: 2 };
    const sdk = await bareCalls(surroundings, workload);
    const cpuOfPolls = await interleave(rounds, {
      nothing: await wholePolls(surroundings, { workload, differs: 'nothing' }),
      used: await wholePolls(surroundings, { workload, differs: 'used' }),
      limit: await wholePolls(surroundings, { workload, differs: 'limit' }),
      sdk,
    });
    const cpuOfParts = await interleave(rounds, {
      requests: await bareRequests(surroundings, workload),
      unstored: await wholePolls(surroundings, { workload, differs: 'limit', isStored: false }),
      writes: await recordWrites(surroundings, workload),
      sdk,
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
    ];
  },
};

interface WholePolls {
  readonly workload: Workload;
  /** What each answer changes. */
  readonly differs: 'nothing' | 'used' | 'limit';
  /** Whether records are written to files. */
  readonly isStored?: boolean;
}

async function wholePolls(
  surroundings: Surroundings,
  { workload, differs, isStored = true }: WholePolls,
) {
  const service = await surroundings.side('stub-service', { ...workload, differs });
  const config = configOf({ workload, endpoint: service.url, isSigned: true });
  const side = await surroundings.side('whole-polls', {
    configText: JSON.stringify(config),
    cycles: cyclesPerRound,
    storage: isStored ? await surroundings.directory() : null,
  });
  return () => side.ask<number>({});
}

async function recordWrites(surroundings: Surroundings, workload: Workload) {
  const [record] = recordsOf(workload, Date.now());
  if (record === undefined) throw new Error('a workload without a target');
  const side = await surroundings.side('record-writes', {
    text: formatRecord(record),
    directory: await surroundings.directory(),
    writes: workload.accounts * workload.regionsPerAccount,
  });
  return () => side.ask<number>({});
}

async function bareRequests(surroundings: Surroundings, workload: Workload) {
  const service = await surroundings.side('stub-service', { ...workload, differs: 'nothing' });
  const requests = cyclesPerRound * workload.accounts * workload.regionsPerAccount;
  const side = await surroundings.side('bare-requests', { url: service.url, requests });
  return () => side.ask<number>({});
}

async function bareCalls(surroundings: Surroundings, workload: Workload) {
  const service = await surroundings.side('stub-service', workload);
  const calls = cyclesPerRound * workload.accounts * workload.regionsPerAccount;
  const side = await surroundings.side('sdk-calls', { url: service.url, calls });
  return () => side.ask<number>({});
}
