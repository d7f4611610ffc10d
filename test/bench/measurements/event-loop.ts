/** How long the event loop is blocked while targets change and Prometheus scrapes every second. */
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { figure, grouped, median, type Finding, type Measurement } from '../harness.ts';
import { startPrometheus } from '../prometheus.ts';
import { startDaemon, workloadOf } from '../workload.ts';

const probe = fileURLToPath(new URL('../sides/probe.js', import.meta.url));
const goals = [
  { series: 3_000, mostMs: 5 },
  { series: 100_000, mostMs: 50 },
];

export const eventLoop: Measurement = {
  name: 'event-loop',
  async run({ rounds, secondsPerRound, sized }, workbench) {
    const findings: Finding[] = [];
    for (const { series, mostMs } of goals) {
      const workload = workloadOf(sized(series));
      const service = await workbench.side('stub-service', workload);
      const daemon = await startDaemon(workbench, {
        workload,
        endpoint: service.url,
        schedule: '* * * * * *',
        isSeeded: true,
        nodeFlags: [`--import=${probe}`],
      });
      const idle = await workbench.side('idle');
      const jobs = { ours: new URL(daemon.url).host };
      const prometheus = await startPrometheus(workbench, jobs, 1);
      await prometheus.scrapeDurationsMs('ours', 1);
      await Promise.all([daemon.ask({}), idle.ask({})]);
      const longestMs: number[] = [];
      const idleMs: number[] = [];
      for (let round = 0; round < rounds; round += 1) {
        await delay(2 * secondsPerRound * 1_000);
        longestMs.push(await daemon.ask({}));
        idleMs.push(await idle.ask({}));
      }
      findings.push({
        what: `longest event-loop block, ${grouped(series)} series, 20 targets a second change`,
        ours: figure(median(longestMs), 'ms'),
        beside: `a process that does nothing ${figure(median(idleMs), 'ms')}`,
        values: longestMs,
        goal: { bound: 'at most', value: mostMs, unit: 'ms' },
      });
      for (const side of [daemon, idle, service]) await side.end();
    }
    return findings;
  },
};
