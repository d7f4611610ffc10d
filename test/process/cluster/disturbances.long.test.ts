/** `CLUSTER_SEED` changes the choices of a run, `DISTURBANCES=200` makes it longer. */
import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import {
  regions,
  scrape,
  startCluster,
  templateId,
  hasRedis,
  type Member,
} from '../../support/cluster.ts';
import { CountedValues } from '../../support/counted-values.ts';
import { temporaryFile } from '../../support/directories.ts';
import { hasProgram } from '../../support/programs.ts';
import { PrometheusApi } from '../../support/prometheus/prometheus-api.ts';
import { listenLocally, startPrometheus } from '../../support/prometheus/servers.ts';
import { Random } from '../../support/random.ts';

const canRun = [hasRedis, hasProgram('prometheus', 'prometheus')].every(Boolean);
const count = Number(process.env.DISTURBANCES ?? 8);

/** A Prometheus that scrapes the daemons in turn, through one address. */
async function scrapeInTurn(members: readonly Member[]): Promise<PrometheusApi> {
  let turn = 0;
  const address = await listenLocally((incoming, outgoing) => {
    const running = members.filter(({ daemon }) => !daemon.hasExited);
    const { daemon } = running[(turn += 1) % running.length]!;
    void daemon.url().then((url) => {
      const { headers } = incoming;
      const passed = request(new URL(incoming.url ?? '/', url), { headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
        answer.on('error', () => outgoing.destroy());
      });
      passed.on('error', () => outgoing.destroy());
      outgoing.on('close', () => passed.destroy());
      passed.end();
    });
  });
  const config = {
    global: { scrape_interval: '2s', scrape_timeout: '2s' },
    scrape_configs: [{ job_name: 'cluster', static_configs: [{ targets: [address] }] }],
  };
  const file = await temporaryFile('prometheus.yaml', JSON.stringify(config));
  return new PrometheusApi(await startPrometheus(file));
}

test.runIf(canRun)(
  'a cluster counts every change once whatever happens to it, and Prometheus sees no counter fall',
  { timeout: 5 * 60_000 + count * 15_000 },
  async () => {
    const seed = Number(process.env.CLUSTER_SEED ?? 1);
    const random = new Random(seed);
    const requestsPerSecond = 3;
    const lockMs = 2_000;
    const { emulator, redis, members, names, highestRate } = await startCluster({
      daemons: 4,
      accounts: 20,
      schedule: '*/3 * * * * *',
      lock: `${lockMs}ms`,
      regions: regions.map((name) => ({ name, launch_templates: [templateId] })),
      quotaTypes: ['postpaid'],
      more: { api: { requests_per_second: requestsPerSecond, max_attempts: 1 } },
    });
    // A disturbance meets polls in flight.
    emulator.faults.add({ effect: 'latency', latency: '30ms' });
    const places = names.flatMap((account) => regions.map((region) => ({ account, region })));
    const values = new CountedValues(emulator, places);
    const prometheus = await scrapeInTurn(members);
    const counters =
      '{__name__=~"cvm_quota_limit_changes_total|cvm_launch_template_default_.*_changes_total"}';
    const series = 3 * places.length;
    // A cluster must have recovered after this time, also on a busy machine.
    const patience = { timeout: 120_000, interval: 500 };
    await expect.poll(() => prometheus.numbers(`count(${counters})`), patience).toEqual([series]);

    const ending = new AbortController();
    const { signal } = ending;
    /** Scrapes one daemon after the other, and changes values. */
    const live = async () => {
      const by = new Random(seed + 1);
      while (!signal.aborted) {
        const begunAtMs = performance.now();
        const samples = await scrape(by.pick(members).daemon);
        if (samples !== null) values.observe(samples, begunAtMs);
        values.changeSome(by, 0.2);
        await delay(by.integer(100, 300), undefined, { signal }).catch(() => undefined);
      }
    };
    const living = live();
    const disturbances: Readonly<Record<string, (member: Member) => Promise<void>>> = {
      'a daemon crashes, and starts again': async ({ daemon }) => {
        await daemon.stop('SIGKILL');
        await delay(random.next() * 2 * lockMs);
        daemon.spawn();
        await daemon.url();
      },
      'a daemon stands still for longer than its lock, and goes on': async ({ daemon }) => {
        daemon.signal('SIGSTOP');
        await delay(3 * lockMs);
        daemon.signal('SIGCONT');
      },
      'Redis crashes, and starts again': async () => {
        await redis.kill();
        await delay(random.next() * 1_500);
        await redis.restart();
      },
      'the connections of a daemon to Redis break, and it gets no others for a time': async ({
        network,
      }) => {
        network.cut();
        await delay(random.next() * 2 * lockMs);
        network.heal();
      },
      'what a daemon and Redis send to each other arrives late': async ({ network }) => {
        network.hold();
        await delay(random.next() * 3 * lockMs);
        network.heal();
      },
    };
    const all = Object.entries(disturbances);
    for (let n = 0; n < count; n += 1) {
      const [what, disturb] = all[n % all.length]!;
      await disturb(random.pick(members));
      for (const { daemon } of members) {
        if (daemon.hasExited) throw new Error(`${what}: ended\n${daemon.everything()}`);
      }
      // Pauses between disturbances are shorter than a recovery.
      await delay(random.next() * 1_500);
    }
    ending.abort();
    await living;

    for (const { daemon } of members) {
      const differences = async () => {
        const begunAtMs = performance.now();
        const samples = await scrape(daemon);
        if (samples === null) return null;
        values.observe(samples, begunAtMs);
        return values.differences(samples);
      };
      await expect.poll(differences, patience).toEqual([]);
    }
    const changes = emulator.state.changes.total;
    console.log(
      `${changes} changes, ${emulator.requests.total} requests, ${highestRate()} a second`,
    );
    expect(highestRate()).toBeLessThanOrEqual(requestsPerSecond);
    expect(await prometheus.numbers(`sum(resets(${counters}[2h]))`)).toEqual([0]);
    const range = `${counters}[2h]`;
    const grown = `sum(max_over_time(${range}) - min_over_time(${range}))`;
    await expect.poll(() => prometheus.numbers(grown), patience).toEqual([changes]);
  },
);
