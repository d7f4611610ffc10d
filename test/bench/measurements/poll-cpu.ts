/** CPU of a whole poll beside that of the mere call with the official SDK. */
import { compare, interleave, type Measurement } from '../harness.ts';
import type { Surroundings } from '../surroundings.ts';
import { configOf, type Workload } from '../workload.ts';

/** What each answer changes, and the goal of a poll that gets it. */
const polls = [
  { differs: 'nothing', what: 'CPU of a quiet poll, 10 at a time', most: 1.5 },
  { differs: 'used', what: 'CPU of a poll that finds another use, 10 at a time', most: 6 },
  { differs: 'limit', what: 'CPU of a poll that finds a change, 10 at a time', most: 6 },
] as const;

/** A round of so many is warm. */
const cyclesPerRound = 4;

export const pollCpu: Measurement = {
  name: 'poll-cpu',
  async run({ rounds, sized }, surroundings) {
    // Twenty regions an account, so that no poll of a cycle waits for another of it.
    const workload = { accounts: sized(100), regionsPerAccount: 20, zonesPerRegion: 2 };
    const sides = await interleave(rounds, {
      nothing: await wholePolls(surroundings, workload, 'nothing'),
      used: await wholePolls(surroundings, workload, 'used'),
      limit: await wholePolls(surroundings, workload, 'limit'),
      sdk: await bareCalls(surroundings, workload),
    });
    return polls.map(({ differs, what, most }) =>
      compare({
        what,
        unit: 'ms',
        ours: sides[differs],
        besideName: 'bare call with the official SDK',
        beside: sides.sdk,
        goal: { bound: 'at most', value: most },
      }),
    );
  },
};

async function wholePolls(surroundings: Surroundings, workload: Workload, differs: string) {
  const service = await surroundings.side('stub-service', { ...workload, differs });
  const config = configOf({ workload, endpoint: service.url, isSigned: true });
  const side = await surroundings.side('whole-polls', {
    configText: JSON.stringify(config),
    cycles: cyclesPerRound,
    storage: await surroundings.directory(),
  });
  return () => side.ask<number>({});
}

async function bareCalls(surroundings: Surroundings, workload: Workload) {
  const service = await surroundings.side('stub-service', workload);
  const calls = cyclesPerRound * workload.accounts * workload.regionsPerAccount;
  const side = await surroundings.side('sdk-calls', { url: service.url, calls });
  return () => side.ask<number>({});
}
