/**
 * Every shipped alert in vmalert of Debian. `-dryRun` does not run templates: an alert whose template fails is
 * silent there.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { temporaryFile } from '../support/directories.ts';
import { hasProgram } from '../support/programs.ts';
import { startVictoriaMetrics, startVmalert } from '../support/prometheus/servers.ts';

interface RuleFile {
  readonly groups: readonly { readonly rules: readonly { readonly alert?: string }[] }[];
}

/** The value of a series by minutes from now; `null` for no sample. */
type Values = (minute: number, nowSeconds: number) => number | null;

/** VictoriaMetrics finds what vmalert writes after 10 s, and an alert reads up to six records in turn. */
const patience = { timeout: 110_000, interval: 200 };

const hasPrograms = ['victoria-metrics', 'vmalert'].every((program) =>
  hasProgram(program, 'victoria-metrics'),
);

it.runIf(hasPrograms)(
  'vmalert sends every alert once for two daemons, with its team, its runbook and its status page',
  async () => {
    const daemon = 'job="cvm-quota-monitor",instance="a"';
    const member = 'job="cvm-quota-monitor",instance="member"';
    const region = `${daemon},account="production",region="r"`;
    const image = `${region},quota_type="image",unit="images"`;
    const zonal = `${region},zone="z",quota_type="postpaid",unit="instances"`;
    const filling = `${region},zone="z",quota_type="prepaid",unit="instances"`;
    const template = `${region},template_id="t"`;
    const launch = `${template},zone="z",instance_type="S5.LARGE8",charge_type="postpaid"`;
    const target = `${region},operation="o"`;
    const call = `${daemon},account="production",operation="o"`;

    const growing = (minute: number) => 200 + minute;
    // 1, until half an hour ago.
    const hoursAgo = (minute: number) => (minute < -30 ? 1 : null);

    // Every alert fires for these series.
    const series: Readonly<Record<string, Values>> = {
      [`cvm_monitor_account_info{${daemon},account="production",team="payments"}`]: () => 1,
      [`cvm_quota_remaining{${image}}`]: () => 1,
      [`cvm_quota_limit{${image}}`]: () => 100,
      [`cvm_quota_remaining_threshold{${image},severity="warning"}`]: () => 20,
      [`cvm_quota_remaining_threshold{${image},severity="critical"}`]: () => 10,
      [`cvm_quota_remaining{${zonal}}`]: () => 0,
      [`cvm_quota_limit{${zonal}}`]: () => 10,
      [`cvm_quota_remaining_threshold{${zonal},severity="warning"}`]: () => 0,
      [`cvm_quota_used{${filling}}`]: (minute) => 60 + minute / 5,
      [`cvm_quota_remaining{${filling}}`]: (minute) => 40 - minute / 5,
      [`cvm_quota_limit{${filling}}`]: () => 100,
      [`cvm_quota_remaining_threshold{${filling},severity="warning"}`]: () => 0,
      [`cvm_quota_limit{${image.replace('instance="a"', 'instance="old"')}}`]: () => 100,
      [`cvm_quota_limit_changes_total{${image},direction="lowered"}`]: () => 1,
      [`cvm_quota_limit_change_timestamp_seconds{${image},direction="lowered"}`]: (_, now) => now,
      [`cvm_launch_template_default_version_changes_total{${template}}`]: () => 1,
      [`cvm_launch_template_default_version_change_timestamp_seconds{${template}}`]: (_, now) =>
        now,
      [`cvm_quota_disappeared_total{${image}}`]: () => 1,
      [`cvm_quota_disappeared_timestamp_seconds{${image}}`]: (_, now) => now,
      [`cvm_launch_severity{${launch},reason="quota",severity="critical"}`]: () => 1,
      [`cvm_launch_unknown{${launch},part="stock"}`]: () => 1,
      [`cvm_launch_blocked{${launch},reason="sold-out"}`]: () => 0,
      [`cvm_instance_type_stock_level{${launch.replace('template_id="t",', '')}}`]: () => 1,
      [`cvm_launch_templates_deleted_total{${region}}`]: () => 2,
      [`cvm:list_changes:max{job="cvm-quota-monitor",account="production",region="r",event="deleted"}`]:
        hoursAgo,
      [`cvm_regions_appeared_total{${region}}`]: () => 2,
      [`cvm:list_changes:max{job="cvm-quota-monitor",account="production",event="region appeared"}`]:
        hoursAgo,
      [`up{job="cvm-quota-monitor",instance="down"}`]: () => 0,
      [`cvm:account:info{job="gone",account="gone",team="search",runbooks="r",status_page="s"}`]: (
        minute,
      ) => (minute < -10 ? 1 : null),
      [`cvm_monitor_target_up{${target}}`]: () => 0,
      [`cvm_monitor_target_last_poll_timestamp_seconds{${target}}`]: (_, now) => now,
      [`cvm_monitor_target_up{${region},operation="stale"}`]: () => 0,
      [`cvm_monitor_target_last_success_timestamp_seconds{${region},operation="stale"}`]: () => 1,
      [`cvm_monitor_target_incomplete{${target}}`]: () => 1,
      [`cvm_monitor_target_failing_since_timestamp_seconds{${target},code="Credentials"}`]: (
        _,
        now,
      ) => now - 1_000,
      [`cvm_monitor_credentials_expiry_timestamp_seconds{${daemon},account="production"}`]: (
        _,
        now,
      ) => now + 60,
      [`cvm_monitor_credentials_failures_total{${daemon},account="production",type="files"}`]:
        growing,
      [`cvm_monitor_api_requests_total{${call}}`]: growing,
      [`cvm_monitor_api_request_errors_total{${call},code="RequestLimitExceeded"}`]: growing,
      [`cvm_monitor_cycles_total{${daemon},account="production"}`]: growing,
      [`cvm_monitor_cycles_skipped_total{${daemon},account="production",reason="overlap"}`]:
        growing,
      [`cvm_monitor_state_unwritten_records{${daemon}}`]: () => 1,
      [`cvm_monitor_state_damaged_files_total{${daemon}}`]: () => 1,
      [`process_start_time_seconds{${daemon}}`]: (_, now) => now - 60,
      [`cvm_monitor_config_last_reload_successful{${daemon}}`]: () => 0,
      [`cvm_monitor_config_last_reload_success_timestamp_seconds{${daemon}}`]: () => 1,
      [`cvm_monitor_web_config_last_reload_successful{${daemon}}`]: () => 0,
      [`cvm_monitor_web_config_last_reload_success_timestamp_seconds{${daemon}}`]: () => 1,
      [`cvm_monitor_clock_skew_seconds{${daemon},account="production"}`]: () => 100,
      [`cvm_monitor_cluster_store_up{${member}}`]: () => 0,
      [`cvm_monitor_cluster_configurations{${member}}`]: () => 2,
      [`cvm_monitor_cluster_oldest_waiting_cycle_timestamp_seconds{${member}}`]: (_, now) =>
        now - 1_000,
    };
    // As of two daemons in two pods: two hours up to now, and some minutes more for the time that the test takes.
    const nowMs = Date.now();
    const samples = Object.entries(series).flatMap(([name, valueAt]) =>
      ['one', 'two'].flatMap((pod) =>
        Array.from({ length: 130 }, (_, index) => {
          const ofPod = name.replace(/instance="(\w+)"/, `instance="$1-${pod}",pod="${pod}"`);
          const value = valueAt(index - 120, nowMs / 1_000);
          return value === null ? '' : `${ofPod} ${value} ${nowMs + (index - 120) * 60_000}\n`;
        }),
      ),
    );
    const shipped = join(import.meta.dirname, '../../config/prometheus/rules.yaml');
    const rules = await readFile(shipped, 'utf8');
    // Without what vmalert knows since 1.92 only, and without delays.
    const file = await temporaryFile(
      'rules.yaml',
      rules.replace(/^ +(keep_firing_)?for: .*\n/gm, ''),
    );

    const sent = await startVmalert(file, await startVictoriaMetrics(samples.join('')));
    const sentNames = () => new Set(sent.map(({ labels }) => labels.alertname));
    // The team is known from the second evaluation on.
    const lowImages = () =>
      sent.findLast(
        ({ labels: { alertname, quota_type } }) =>
          alertname === 'CvmQuotaLow' && quota_type === 'image',
      );

    const { groups }: RuleFile = parse(rules, { merge: true });
    const shippedNames = groups.flatMap((group) => group.rules.flatMap(({ alert }) => alert ?? []));
    await expect.poll(sentNames, patience).toEqual(new Set(shippedNames));
    await expect.poll(lowImages, patience).toMatchObject({
      labels: { account: 'production', team: 'payments' },
      annotations: {
        description:
          'Less remains of the image quota than its threshold. In r of account production, what remains is 1 of 100 (images).',
        runbook_url: expect.stringMatching(/\/CvmQuotaLow\.md$/) as unknown,
        status_page: 'http://localhost:10042/?account=production&region=r&quota_type=image',
      },
    });
    const named = sent.filter(
      ({ labels }) => labels.instance !== undefined || labels.pod !== undefined,
    );
    // The alerts about a daemon. Each names it. The others are the same for several daemons.
    expect(new Set(named.map(({ labels }) => labels.alertname))).toEqual(
      new Set([
        'CvmMonitorAbsent',
        'CvmMonitorClockSkewed',
        'CvmMonitorConfigReloadFailed',
        'CvmMonitorCyclesOverrunning',
        'CvmMonitorStateDamaged',
        'CvmMonitorStateNotWritten',
        'CvmMonitorThresholdsMissing',
        'CvmMonitorWebConfigReloadFailed',
      ]),
    );
  },
);
