/** CPU of a whole poll beside that of the mere call with the official SDK. */
import { figure, interleave, median, type Measurement } from '../harness.ts';
import { configOf } from '../workload.ts';

export const pollCpu: Measurement = {
  name: 'poll-cpu',
  async run({ rounds, sized }, surroundings) {
    // Twenty regions an account, so that no poll waits for the rate limit.
    const workload = { accounts: sized(100), regionsPerAccount: 20, zonesPerRegion: 2 };
    const service = await surroundings.side('stub-service', workload);
    const config = configOf({ workload, endpoint: service.url, isSigned: true });
    const ours = await surroundings.side('whole-polls', {
      configText: JSON.stringify(config),
      storage: await surroundings.directory(),
    });
    const calls = workload.accounts * workload.regionsPerAccount;
    const sdk = await surroundings.side('sdk-calls', { url: service.url, calls });
    const sides = await interleave(rounds, {
      ours: () => ours.ask<number>({}),
      sdk: () => sdk.ask<number>({}),
    });
    return [
      {
        what: 'CPU of a whole poll, 10 at a time',
        ours: figure(median(sides.ours), 'ms'),
        beside: `bare call with the official SDK ${figure(median(sides.sdk), 'ms')}`,
        value: median(sides.ours) / median(sides.sdk),
        goal: { bound: 'at most', value: 1 },
      },
    ];
  },
};
