/** CPU of a whole poll beside that of the mere call with the official SDK, and the limits of the goals. */
import { formatRecord } from '../../../src/state/record-file.ts';
import { compare, interleave, type Measurement } from '../harness.ts';
import type { Surroundings } from '../surroundings.ts';
import { configOf, recordsOf, type Workload } from '../workload.ts';

const goals = [
  { side: 'nothing', what: 'CPU of a quiet poll, 10 at a time', most: 1.5 },
  { side: 'used', what: 'CPU of a poll that finds another use, 10 at a time', most: 6 },
  { side: 'limit', what: 'CPU of a poll that finds a change, 10 at a time', most: 6 },
] as const;

/** What the goals cannot do without. */
const limits = [
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
    const directory = () => surroundings.directory();
    const sdk = await bareCalls(surroundings, workload);
    const polls = await interleave(rounds, {
      nothing: await wholePolls(surroundings, workload, 'nothing', await directory()),
      used: await wholePolls(surroundings, workload, 'used', await directory()),
      limit: await wholePolls(surroundings, workload, 'limit', await directory()),
      sdk,
    });
    const parts = await interleave(rounds, {
      requests: await bareRequests(surroundings, workload),
      unstored: await wholePolls(surroundings, workload, 'limit', null),
      writes: await recordWrites(surroundings, workload),
      sdk,
    });
    const besideName = 'bare call with the official SDK';
    return [
      ...goals.map(({ side, what, most }) =>
        compare({
          what,
          unit: 'ms',
          ours: polls[side],
          besideName,
          beside: polls.sdk,
          goal: { bound: 'at most', value: most },
        }),
      ),
      ...limits.map(({ side, what }) =>
        compare({ what, unit: 'ms', ours: parts[side], besideName, beside: parts.sdk }),
      ),
    ];
  },
};

/** @param differs what each answer changes */
async function wholePolls(
  surroundings: Surroundings,
  workload: Workload,
  differs: 'nothing' | 'used' | 'limit',
  storage: string | null,
) {
  const service = await surroundings.side('stub-service', { ...workload, differs });
  const config = configOf({ workload, endpoint: service.url, isSigned: true });
  const side = await surroundings.side('whole-polls', {
    configText: JSON.stringify(config),
    cycles: cyclesPerRound,
    storage,
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
