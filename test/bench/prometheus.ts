/** A real Prometheus that scrapes what is measured. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from './free-port.ts';
import type { Workbench } from './workbench.ts';

export interface Prometheus {
  /** How long so many scrapes of a job took, once there are as many; its first two are left out. */
  readonly scrapeDurationsMs: (job: string, count: number) => Promise<number[]>;
}

/** @param jobs the address of each job's only target, such as `127.0.0.1:10042` */
export async function startPrometheus(
  workbench: Workbench,
  jobs: Readonly<Record<string, string>>,
  intervalSeconds: number,
): Promise<Prometheus> {
  const directory = await workbench.directory();
  const port = await freePort();
  const configFile = join(directory, 'prometheus.yml');
  const config = {
    global: { scrape_interval: `${intervalSeconds}s`, scrape_timeout: `${intervalSeconds}s` },
    scrape_configs: Object.entries(jobs).map(([job_name, target]) => ({
      job_name,
      static_configs: [{ targets: [target] }],
    })),
  };
  await writeFile(configFile, JSON.stringify(config));
  const url = `http://127.0.0.1:${port}`;
  const flags = [
    `--config.file=${configFile}`,
    `--storage.tsdb.path=${join(directory, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
    '--log.level=error',
  ];
  await workbench.program('prometheus', flags, `${url}/-/ready`);
  return {
    scrapeDurationsMs: async (job, count) => {
      for (;;) {
        const durations = await samples(url, `scrape_duration_seconds{job="${job}"}[1h]`);
        if (durations.length >= count + 2) {
          const ups = await samples(url, `up{job="${job}"}[1h]`);
          if (ups.includes(0)) throw new Error(`a scrape of ${job} failed`);
          return durations.slice(2, 2 + count).map((seconds) => seconds * 1_000);
        }
        await delay(500);
      }
    },
  };
}

interface Answer {
  readonly data: { readonly result: readonly { readonly values: readonly [number, string][] }[] };
}

async function samples(url: string, query: string): Promise<number[]> {
  const response = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(query)}`);
  const { data } = (await response.json()) as Answer;
  return data.result.flatMap(({ values }) => values.map(([, value]) => Number(value)));
}
