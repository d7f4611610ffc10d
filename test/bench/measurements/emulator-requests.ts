/** How fast the emulator answers requests, beside a server that only sends the bytes of its answer. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sampleScenario } from '../../support/sample-scenario.ts';
import { tc3Headers } from '../../support/sign.ts';
import { compare, interleave, type Finding, type Measurement } from '../harness.ts';
import { load, rates } from '../load.ts';
import { keys } from '../sides/credential-variables.ts';
import type { Side, Workbench } from '../workbench.ts';

const operation = 'DescribeAccountQuota';

export const emulatorRequests: Measurement = {
  name: 'emulator',
  async run({ rounds, secondsPerRound }, workbench) {
    const emulator = await startEmulator(workbench);
    const requests = [
      { how: 'unsigned', path: unsignedPath, headers: {} },
      { how: 'signed with TC3', path: '/', headers: signedHeaders(new URL(emulator.url).host) },
    ];
    const findings: Finding[] = [];
    for (const { how, path, headers } of requests) {
      const url = emulator.url + path;
      const bare = await workbench.side('bare-server', { url, headers });
      const sides = await interleave(rounds, {
        ours: () => load(url, 'identity', secondsPerRound, headers),
        bare: () => load(bare.url + path, 'identity', secondsPerRound, headers),
      });
      await bare.end();
      await checkAnswers(emulator);
      findings.push(
        compare({
          what: `requests to the emulator, ${operation}, ${how}`,
          unit: '/s',
          ours: rates(sides.ours),
          besideName: 'bare node:http',
          beside: rates(sides.bare),
          goal: { bound: 'at least', value: 0.5 },
        }),
      );
    }
    return findings;
  },
};

/** With the official samples, once for signed requests and once for others, and the highest rate limit. */
async function startEmulator(workbench: Workbench): Promise<Side> {
  const scenarioFile = join(await workbench.directory(), 'scenario.yaml');
  const key = { secret_id: keys.secretId, secret_key: keys.secretKey };
  const scenario = {
    requests_per_second: 1_000_000,
    accounts: sampleScenario.accounts.flatMap((account) => [
      account,
      { ...account, name: 'signed', keys: [key] },
    ]),
  };
  await writeFile(scenarioFile, JSON.stringify(scenario));
  return workbench.emulator([`--scenario=${scenarioFile}`]);
}

const unsignedPath = `/?Action=${operation}&Version=2017-03-12&Region=ap-guangzhou`;

/** @throws when one of the latest requests was refused, which has the status 200 too */
async function checkAnswers(emulator: Side): Promise<void> {
  const response = await fetch(`${emulator.url}/_emulator/requests`);
  const { requests } = (await response.json()) as { requests: { code: string | null }[] };
  const refused = requests.find(({ code }) => code !== null);
  if (refused !== undefined) throw new Error(`the emulator refused a request: ${refused.code}`);
}

/** The signature is valid for five minutes, which is longer than the measurement. */
function signedHeaders(host: string): Record<string, string> {
  const timestamp = Math.floor(Date.now() / 1_000);
  const { host: _sent, ...headers } = tc3Headers({ ...keys, host, timestamp, action: operation });
  return headers;
}
