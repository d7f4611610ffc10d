/** A monitor without a service. A test sets the outcome of each poll, and checks the pages. */
import { collectors } from '../../src/collectors/collectors.ts';
import type { LaunchTemplateListRecord } from '../../src/collectors/launch-template-list.ts';
import type { LaunchTemplateSnapshot } from '../../src/collectors/launch-template/answer.ts';
import type { LaunchTemplateRecord } from '../../src/collectors/launch-template/launch-template.ts';
import {
  type AccountQuota as Quota,
  type QuotaSnapshot,
  quotaTypes,
  quotaSets,
} from '../../src/collectors/quota/answer.ts';
import type { QuotaRecord } from '../../src/collectors/quota/quota.ts';
import { createApp, type App } from '../../src/expose/app.ts';
import type { MonitorView } from '../../src/expose/monitor-view.ts';
import type { ClusterStatus } from '../../src/model/cluster-status.ts';
import type { Links } from '../../src/model/links.ts';
import type { MonitorStatus, Readiness, ReloadResult } from '../../src/model/monitor-status.ts';
import type { Anomaly } from '../../src/model/poll-outcome.ts';
import { PublishedRecords } from '../../src/model/published-records.ts';
import type { SnapshotOf, TargetRecord } from '../../src/model/record.ts';
import { targetKey, type Target, type LabelledAccount } from '../../src/model/target.ts';
import { usualStepMs, withTrend } from '../../src/model/trend.ts';
import { noClients } from './exposed-metrics.ts';
import {
  advance,
  defaultThresholds,
  newRecord,
  quotaSnapshot,
  templateSnapshot,
} from './records.ts';

const selection = { quotaTypes: [...quotaTypes], zones: null };

export const quotaTarget = (
  account = 'production',
  region = 'ap-guangzhou',
  selected: Partial<QuotaRecord['target']['selection']> = {},
): QuotaRecord['target'] => ({
  account,
  region,
  operation: 'DescribeAccountQuota',
  selection: { ...selection, ...selected },
});

export const templateTarget = (
  account = 'production',
  region = 'ap-guangzhou',
  templateId = 'lt-b8v1kcyq',
): LaunchTemplateRecord['target'] => ({
  account,
  region,
  operation: 'DescribeLaunchTemplateVersions',
  resource: { template_id: templateId },
});

/** Discovers every template of a region. */
export const templateListTarget = (
  account: string,
  region: string,
): LaunchTemplateListRecord['target'] => ({
  account,
  region,
  operation: 'DescribeLaunchTemplates',
  selection: { names: null, tags: {} },
  maxWatched: 1_000,
});

/** A quota. Its remaining value defaults to `limit` less `used`. */
export const quota = (fields: Partial<Quota> & { used: number; limit: number }): Quota => ({
  type: 'postpaid',
  unit: fields.type === undefined ? 'instances' : quotaSets[fields.type].unit,
  zone: 'ap-guangzhou-3',
  remaining: fields.limit - fields.used,
  ...fields,
});

export const quotas = (...rows: Quota[]): QuotaSnapshot =>
  quotaSnapshot({ selection, quotas: rows });

export const versions = (
  numbers: number[],
  defaultVersion: number,
  data: { imageId?: string; instanceType?: string; chargeType?: string } = {},
): LaunchTemplateSnapshot =>
  templateSnapshot({
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
  readonly requestId?: string;
}

/** A client that waits for its answer. */
export const connected = { destroyed: false };

/** Neither requests nor the process are measured. */
export const notMeasured = {
  text: () => Promise.resolve(''),
  observeRequest: () => undefined,
};

/** A test can set every public field. */
export class FakeMonitor {
  readonly published = new PublishedRecords();
  readonly view: MonitorView;
  readonly app: App;
  nowMs = Date.UTC(2026, 1, 3, 14, 5, 0);
  staleAfterMs = 15 * 60_000;
  thresholds = defaultThresholds;
  links: Links = { grafana: null, runbooks: null };
  accounts: readonly LabelledAccount[] = [];
  storageProblem: string | null = null;
  reloadProblem: string | null = null;
  cluster: ClusterStatus | null = null;
  reloadResult: ReloadResult = { ok: true };
  readiness: Readiness;
  status: MonitorStatus = {
    cycles: new Map([
      [
        'production',
        {
          completed: 128,
          skipped: { overlap: 0, missed: 0 },
          lastDurationMs: 2_430,
          lastStartedAtMs: this.nowMs - 60_000,
        },
      ],
    ]),
    nextCycleMs: this.nowMs + 192_000,
    storage: { failures: 0, damaged: 0, unwritten: 0, problem: null },
    leftOut: new Map(),
    reload: { successMs: this.nowMs - 86_400_000, problem: null },
  };

  hasUsers = false;

  constructor(...targets: readonly Target[]) {
    this.published.setTargets(targets, (target) => collectors.of(target));
    this.readiness = { isReady: true, attempted: targets.length, targets: targets.length };
    const clock = { now: () => this.nowMs };
    this.view = {
      collectors,
      published: this.published,
      clock,
      build: { version: '0.1.0', revision: '0818cb0d6f1a2b3c' },
      startedAtMs: this.nowMs - 11 * 3_600_000,
      warnings: () => [],
      staleAfterMs: () => this.staleAfterMs,
      thresholds: () => this.thresholds,
      links: () => this.links,
      statusPage: 'https://ops.example.com/quota',
      accounts: () => this.accounts,
      status: () => ({
        ...this.status,
        storage: { ...this.status.storage, problem: this.storageProblem },
        reload: { ...this.status.reload, problem: this.reloadProblem },
      }),
      api: () => noClients,
      readiness: () => this.readiness,
      cluster: () => this.cluster,
      refresh: null,
      reload: () => Promise.resolve(this.reloadResult),
    };
    this.app = createApp({
      view: this.view,
      processMetrics: notMeasured,
      minRenderMs: 0,
      hasUsers: () => this.hasUsers,
    });
  }

  /** Ends a poll of `target` now. */
  poll(
    target: Target,
    result:
      | QuotaSnapshot
      | LaunchTemplateSnapshot
      | SnapshotOf<LaunchTemplateListRecord>
      | PollFailed,
    anomalies: readonly Anomaly[] = [],
  ): void {
    const before = this.published.get(targetKey(target)) ?? newRecord(target);
    const outcome =
      'code' in result
        ? { ok: false as const, requestId: null, ...result, durationMs: 412 }
        : { ok: true as const, snapshot: result, anomalies, durationMs: 187 };
    const { record } = advance(before, outcome, this.nowMs);
    const collector = collectors.of(target);
    const quotasOf = (each: TargetRecord) => collector.quotas(each);
    this.published.publish(withTrend(record, quotasOf, usualStepMs));
  }

  /** Sends a request to the app, without a network. */
  async get(path: string, init?: RequestInit): Promise<Response> {
    const { method = 'GET' } = init ?? {};
    const asked = Object.fromEntries(new Headers(init?.headers));
    const [route = '', ...query] = path.split('#')[0]!.split(/(?=\?)/);
    const answer = this.app(route, query.join(''), { method, headers: asked, socket: connected });
    const { body, headers, status } = await answer;
    return new Response(body, { status, headers: headers as Record<string, string> });
  }

  async json(path: string): Promise<{ status: number; body: unknown }> {
    const response = await this.get(path);
    return { status: response.status, body: await response.json() };
  }

  async text(path: string): Promise<string> {
    return (await this.get(path)).text();
  }

  /** The answer to a scrape without headers. */
  async metrics(): Promise<string> {
    return this.text('/metrics');
  }
}
