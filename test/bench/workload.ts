/** What the daemon watches in a measurement: its configuration, and the records it begins with. */
import { quotaSets } from '../../src/collectors/quota/selection.ts';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Agent, fetch } from 'undici';
import type { z } from 'zod';
import type { configSchema } from '../../src/config/schema.ts';
import { advance } from '../support/advance.ts';
import { newRecord } from '../support/advance.ts';
import type { TargetRecord } from '../../src/model/record.ts';
import type { AccountQuota as Quota } from '../../src/collectors/quota/answer.ts';
import { quotaTypes } from '../../src/collectors/quota/selection.ts';
import type { QuotaTarget } from '../../src/collectors/quota/quota.ts';
import { formatRecord, recordFileName } from '../../src/state/record-file.ts';
import type { Side, Workbench } from './workbench.ts';
import { rowsOf } from '../support/snapshots.ts';
import { variableNames } from './sides/credential-variables.ts';

/** Regions of accounts; every region is one target. */
export interface Workload {
  readonly accounts: number;
  readonly regionsPerAccount: number;
  readonly zonesPerRegion: number;
}

const seriesPerZone = 16;
/** What a region has besides those of its zones: group, image and freshness. */
const seriesPerRegion = 19;

/**
 * One account with about as many series. It has a multiple of 20 regions, so that cycles that begin
 * every second, each when the one before has ended, poll exactly 20 regions a second.
 */
export function workloadOf(series: number): Workload {
  const aboutFiveZones = seriesPerRegion + 5 * seriesPerZone;
  const regionsPerAccount = 20 * Math.max(1, Math.floor(series / aboutFiveZones / 20));
  const zones = (series / regionsPerAccount - seriesPerRegion) / seriesPerZone;
  return { accounts: 1, regionsPerAccount, zonesPerRegion: Math.max(1, Math.round(zones)) };
}

export interface Asking {
  readonly workload: Workload;
  /** Where the service is; a daemon that is given none has no credentials, and asks nothing. */
  readonly endpoint?: string;
  readonly isSigned?: boolean;
  /** By default once a year: the first cycle is the only one. */
  readonly schedule?: string;
  readonly requestsPerSecond?: number;
}

export interface Watching extends Asking {
  /** Whether records are stored already. */
  readonly isSeeded: boolean;
  /** Flags of Node itself. */
  readonly nodeFlags?: readonly string[];
  /** Further flags of `serve`. */
  readonly flags?: readonly string[];
}

/** Starts a daemon; one without an endpoint is done with its only cycle when this resolves. */
export async function startDaemon(workbench: Workbench, watching: Watching): Promise<Side> {
  const daemon = await workbench.daemon(
    [...(await prepareFiles(workbench, watching)), ...(watching.flags ?? [])],
    watching.nodeFlags,
  );
  if (watching.endpoint === undefined) await isReady(daemon);
  return daemon;
}

/** Writes the configuration and the records of a daemon, and gives the flags that point to them. */
export async function prepareFiles(workbench: Workbench, watching: Watching): Promise<string[]> {
  const directory = await workbench.directory();
  const configFile = join(directory, 'config.yaml');
  const storage = join(directory, 'data');
  await writeFile(configFile, JSON.stringify(configOf(watching)));
  await mkdir(storage);
  if (watching.isSeeded) {
    for (const record of recordsOf(watching.workload, Date.now())) {
      await writeFile(join(storage, recordFileName(record.target)), formatRecord(record));
    }
  }
  return [`--config.file=${configFile}`, `--storage.path=${storage}`];
}

export async function isReady(daemon: Side): Promise<void> {
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });
  while (!(await fetch(`${daemon.url}/-/ready`, { dispatcher })).ok) {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  await dispatcher.close();
}

export function configOf(asking: Asking): z.input<typeof configSchema> {
  const { workload, endpoint, schedule = '0 0 1 1 *', requestsPerSecond = 20 } = asking;
  const isSigned = endpoint === undefined || asking.isSigned === true;
  return {
    poll: { schedule, stale_after: '24h' },
    api: { requests_per_second: requestsPerSecond, ...(endpoint !== undefined && { endpoint }) },
    accounts: accountNames(workload).map((name, i) => ({
      name,
      credentials: isSigned ? { type: 'environment', ...variableNames(i) } : { type: 'none' },
      regions: regionNames(workload),
    })),
  };
}

function accountNames({ accounts }: Workload): string[] {
  return Array.from({ length: accounts }, (_, i) => `account-${i}`);
}

/** Names of letters only, as the emulator wants them: `ap-aaa`, `ap-baa`, … */
export function regionNames({ regionsPerAccount }: Workload): string[] {
  const letter = (number: number) => String.fromCharCode(97 + (Math.floor(number) % 26));
  return Array.from(
    { length: regionsPerAccount },
    (_, i) => `ap-${letter(i)}${letter(i / 26)}${letter(i / 676)}`,
  );
}

function zoneNames(region: string, { zonesPerRegion }: Workload): string[] {
  return Array.from({ length: zonesPerRegion }, (_, i) => `${region}-${i + 1}`);
}

/** Every target of the workload. */
function targetsOf(workload: Workload): QuotaTarget[] {
  const selection = { quotaTypes, zones: null };
  return accountNames(workload).flatMap((account) =>
    regionNames(workload).map((region) => ({
      account,
      region,
      operation: 'DescribeAccountQuota',
      selection,
    })),
  );
}

/** The record of every target after one successful poll. */
export function recordsOf(workload: Workload, nowMs: number): TargetRecord[] {
  return targetsOf(workload).map((target) => {
    const quotas = quotasOf(target.region, workload);
    const outcome = {
      ok: true as const,
      snapshot: {
        kind: 'quota' as const,
        appId: 251_007_416,
        selection: target.selection,
        quotas,
        groupInstanceLimits: { host: 50, switch: 20, rack: 30 },
        rows: rowsOf(target.selection, quotas),
        missing: [],
      },
      anomalies: [],
      durationMs: 52,
    };
    return advance(newRecord(target), outcome, nowMs).record;
  });
}

function quotasOf(region: string, workload: Workload): Quota[] {
  const zonal = zoneNames(region, workload).flatMap((zone) =>
    (['postpaid', 'prepaid', 'spotpaid'] as const).map((type) => ({
      type,
      zone,
      unit: quotaSets[type].unit,
      ...usage(1_000),
      onceLimit: type === 'prepaid' ? 300 : null,
    })),
  );
  const regional = (['disaster_recover_group', 'image'] as const).map((type) => ({
    type,
    zone: null,
    unit: quotaSets[type].unit,
    ...usage(10),
    onceLimit: null,
  }));
  return [...zonal, ...regional];
}

function usage(limit: number) {
  return { used: 2, remaining: limit - 2, limit };
}
