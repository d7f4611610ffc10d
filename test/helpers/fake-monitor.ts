/** A monitor without a service: a test says what each poll gave, and looks at what is served. */
import { Registry } from 'prom-client';
import { Exposition } from '../../src/expose/metrics/exposition.ts';
import type { MonitorStatus } from '../../src/expose/metrics/monitor-metrics.ts';
import { RecordTexts } from '../../src/expose/metrics/record-texts.ts';
import type { MonitorView, Readiness, ReloadResult } from '../../src/expose/monitor-view.ts';
import { createApp, type WebApp } from '../../src/expose/web/app.ts';
import { advance } from '../../src/model/advance.ts';
import type { Anomaly } from '../../src/model/poll-outcome.ts';
import { PublishedRecords } from '../../src/model/published-records.ts';
import { newRecord } from '../../src/model/record.ts';
import type { LaunchTemplateSnapshot, Quota, QuotaSnapshot } from '../../src/model/snapshot.ts';
import {
  quotaTypes,
  targetKey,
  type LaunchTemplateTarget,
  type QuotaTarget,
  type Target,
} from '../../src/model/target.ts';

const selection = { quotaTypes: [...quotaTypes], zones: null };

export const quotaTarget = (account: string, region: string): QuotaTarget => ({
  account,
  region,
  operation: 'DescribeAccountQuota',
  selection,
});

export const templateTarget = (
  account: string,
  region: string,
  templateId: string,
): LaunchTemplateTarget => ({
  account,
  region,
  operation: 'DescribeLaunchTemplateVersions',
  templateId,
});

/** A quota whose remaining is what `used` leaves of `limit`, unless it is given. */
export const quota = (fields: Partial<Quota> & Pick<Quota, 'used' | 'limit'>): Quota => ({
  type: 'postpaid',
  zone: 'ap-guangzhou-3',
  remaining: fields.limit - fields.used,
  onceLimit: null,
  ...fields,
});

export const quotas = (...rows: Quota[]): QuotaSnapshot => ({
  kind: 'quota',
  appId: 251007416,
  selection,
  quotas: rows,
  groupInstanceLimits: null,
});

export const versions = (
  numbers: number[],
  defaultVersion: number,
  data: { imageId?: string; instanceType?: string; chargeType?: string } = {},
): LaunchTemplateSnapshot => ({
  kind: 'launch-template',
  versions: numbers,
  defaultVersion: {
    version: defaultVersion,
    imageId: 'img-8toqc6s3',
    instanceType: 'S5.2XLARGE16',
    chargeType: 'POSTPAID_BY_HOUR',
    ...data,
  },
});

interface PollFailed {
  readonly code: string;
  readonly message: string;
}

/** Everything that a test may set is a plain field. */
export class FakeMonitor {
  readonly published = new PublishedRecords();
  readonly app: WebApp;
  /** Answers that could not be made. */
  readonly failures: { readonly error: unknown; readonly path: string }[] = [];
  nowMs = Date.UTC(2026, 1, 3, 14, 5, 0);
  staleAfterMs = 15 * 60_000;
  storageProblem: string | null = null;
  reloadResult: ReloadResult = { ok: true };
  readiness: Readiness;
  status: MonitorStatus = {
    cyclesCompleted: 128,
    cyclesSkipped: { overlap: 0, missed: 0 },
    lastCycleDurationMs: 2_430,
    nextCycleMs: this.nowMs + 192_000,
    stateWriteFailures: 0,
    stateDamagedFiles: 0,
    lastReloadSuccessful: true,
    lastReloadSuccessMs: this.nowMs - 86_400_000,
  };

  constructor(...targets: readonly Target[]) {
    this.published.replaceAll(targets.map(newRecord));
    this.readiness = { isReady: true, attempted: targets.length, targets: targets.length };
    const clock = { now: () => this.nowMs };
    const view: MonitorView = {
      published: this.published,
      clock,
      build: { version: '0.1.0', revision: '0818cb0d6f1a2b3c' },
      startedAtMs: this.nowMs - 11 * 3_600_000,
      staleAfterMs: () => this.staleAfterMs,
      status: () => this.status,
      readiness: () => this.readiness,
      storageProblem: () => this.storageProblem,
      reload: () => Promise.resolve(this.reloadResult),
    };
    const texts = new RecordTexts(this.published, () => this.staleAfterMs, clock);
    const exposition = new Exposition(texts, new Registry(), clock);
    this.app = createApp(view, exposition, (error, path) => this.failures.push({ error, path }));
  }

  /** A poll of `target` ends now. */
  poll(
    target: Target,
    result: QuotaSnapshot | LaunchTemplateSnapshot | PollFailed,
    anomalies: readonly Anomaly[] = [],
  ): void {
    const before = this.published.get(targetKey(target)) ?? newRecord(target);
    const outcome =
      'code' in result
        ? { ok: false as const, ...result, requestId: null, durationMs: 412 }
        : { ok: true as const, snapshot: result, anomalies, durationMs: 187 };
    const { record, changes } = advance(before, outcome, this.nowMs);
    this.published.publish(record, changes);
  }

  /** Sends a request to the app, without a network. */
  async get(path: string, init?: RequestInit): Promise<Response> {
    return this.app.request(path, init);
  }

  async text(path: string): Promise<string> {
    return (await this.get(path)).text();
  }
}
