import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { unknownMetrics } from '../../support/exposed-metrics.ts';
import { runProgram } from '../../support/run-program.ts';
import { type Expectation, hasPromtool, rulesPath, testRuleCases, watched } from './rule-cases.ts';

interface Rule {
  readonly alert?: string;
  readonly expr: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

const rulesText = readFileSync(rulesPath, 'utf8');
const { groups }: { groups: readonly { readonly rules: readonly Rule[] }[] } = parse(rulesText, {
  merge: true,
});
const rules = groups.flatMap((group) => group.rules);
const alerts = rules.filter(({ alert }) => alert !== undefined);

const place = 'region="r",zone="z",quota_type="postpaid",unit="instances"';
const image = 'region="r",quota_type="image",unit="images"';
const versions = 'region="r",template_id="lt-b8v1kcyq"';
const type = 'region="r",instance_type="S5.LARGE8",charge_type="postpaid"';
const launch = `${type},template_id="lt-b8v1kcyq"`;

const common = { job: 'cvm-quota-monitor', team: 'payments' };
const postpaidLabels = { region: 'r', zone: 'z', quota_type: 'postpaid', unit: 'instances' };
const imageLabels = { region: 'r', quota_type: 'image', unit: 'images' };

interface Figures {
  readonly remaining?: string;
  readonly used?: string;
  readonly limit?: string;
  readonly warning?: string;
  readonly critical?: string;
}

/** The series of a quota. */
function quota(labels: string, { warning, critical, ...gauges }: Figures): string[] {
  const threshold = (severity: string, values?: string) =>
    values === undefined
      ? []
      : [`cvm_quota_remaining_threshold{${labels},severity="${severity}"} ${values}`];
  return [
    ...Object.entries(gauges).map(([name, values]) => `cvm_quota_${name}{${labels}} ${values}`),
    ...threshold('warning', warning),
    ...threshold('critical', critical),
  ];
}

const ofHundred = { limit: '100x300', warning: '20x300', critical: '10x300' };

/** The counter and the time of two kinds of changes, with the same values. */
function changes(labels: string, total: string, time: string): string[] {
  const limit = `${labels},${image},direction="lowered"`;
  const version = `${labels},${versions}`;
  return [
    `cvm_quota_limit_changes_total{${limit}} ${total}`,
    `cvm_quota_limit_change_timestamp_seconds{${limit}} ${time}`,
    `cvm_launch_template_default_version_changes_total{${version}} ${total}`,
    `cvm_launch_template_default_version_change_timestamp_seconds{${version}} ${time}`,
  ];
}

/** Both alerts about {@link changes} at a time. */
const changed = (time: string, ...labels: readonly string[]) => [
  [time, 'CvmQuotaLimitLowered', ...labels] as const,
  [time, 'CvmLaunchTemplateDefaultVersionChanged', ...labels] as const,
];

const target = (account: string, more = '') =>
  `account="${account}",region="r",operation="DescribeAccountQuota"${more}`;

/** The series of a target that fails since a minute, until a minute, at each minute. */
function failing(labels: string, since: number, code: string, until = 300): string[] {
  const minutes = until - since - 1;
  return [
    `cvm_monitor_target_up{${labels}} 1x${since - 1} 0x${minutes} 1x300`,
    `cvm_monitor_target_failing_since_timestamp_seconds{${labels},code="${code}"} _x${since} ${since * 60}x${minutes} stale`,
    `cvm_monitor_target_last_poll_timestamp_seconds{${labels}} 0+60x300`,
  ];
}

/** The series of a target whose last answer, of minute 0, becomes stale. */
const stale = (labels: string, at: number): string[] => [
  `cvm_monitor_target_last_success_timestamp_seconds{${labels}} 0x300`,
  `cvm_monitor_target_incomplete{${labels}} 0x${at - 1} stale`,
];

const accountsOf = (count: number) => Array.from({ length: count }, (_, n) => `a${n}`);

testRuleCases(new Set(alerts.map(({ alert }) => alert)), {
  'a launch that is blocked, one that is unknown, and stock that is nearly gone': {
    series: [
      `cvm_launch_severity{account="a",${launch},zone="z",reason="quota",severity="critical"} 1x60`,
      `cvm_launch_severity{account="b",${launch},zone="z",reason="sold-out",severity="warning"} 1x60`,
      `cvm_launch_unknown{account="a",${launch},zone="z",part="subnet"} 1x60`,
      `cvm_launch_unknown{account="b",${launch},zone="z",part="subnet"} 0x60`,
      `cvm_launch_blocked{account="a",${launch},zone="z",reason="sold-out"} 0x60`,
      `cvm_instance_type_stock_level{account="a",${type},zone="z"} 1x60`,
      `cvm_instance_type_stock_level{account="muted",${type},zone="z"} 1x60`,
      `cvm_launch_blocked{account="any",${launch},reason="sold-out"} 0x60`,
      `cvm_instance_type_stock_level{account="any",${type},zone="y"} 1x60`,
      `cvm_instance_type_stock_level{account="any",${type},zone="z"} 3x60`,
      `cvm_launch_blocked{account="every",${launch},reason="sold-out"} 0x60`,
      `cvm_instance_type_stock_level{account="every",${type},zone="y"} 1x60`,
      `cvm_instance_type_stock_level{account="every",${type},zone="z"} 1x60`,
    ],
    expect: [
      ['9m', 'CvmLaunchBlocked'],
      [
        '11m',
        'CvmLaunchBlocked',
        'account="a",reason="quota",severity="critical"',
        'account="b",reason="sold-out",severity="warning"',
      ],
      ['11m', 'CvmLaunchUnknown', 'account="a",part="subnet",severity="warning"'],
      ['9m', 'CvmInstanceTypeStockLow'],
      [
        '11m',
        'CvmInstanceTypeStockLow',
        'account="a",zone="z",severity="warning"',
        'account="every",zone="",severity="warning"',
      ],
    ],
  },
  'a quota below its warning threshold, and one of a region below its critical one': {
    series: [
      ...quota(`account="low",${place}`, { ...ofHundred, remaining: '15x60' }),
      ...quota(`account="critical",${image}`, {
        remaining: '1x60',
        limit: '20x60',
        warning: '4x60',
        critical: '2x60',
      }),
      ...quota(`account="at-threshold",${place}`, { ...ofHundred, remaining: '20x60' }),
      ...quota(`account="dips",${place}`, {
        ...ofHundred,
        remaining: '50x9 5x4 50x4 15x8 50x30',
      }),
      ...quota(`account="none",${place}`, { remaining: '0x60', limit: '0x60' }),
      ...quota(`account="muted",${place}`, { remaining: '1x60', limit: '100x60' }),
    ],
    expect: [
      ['4m', 'CvmQuotaLow'],
      ['9m', 'CvmQuotaLow', 'account="critical",severity="critical",team="payments"'],
      [
        '60m',
        'CvmQuotaLow',
        'account="low",severity="warning"',
        'account="critical",severity="warning"',
        'account="critical",severity="critical"',
      ],
      ['60m', 'CvmMonitorThresholdsMissing'],
    ],
  },
  'an account whose team one of two daemons does not know yet has its team': {
    isWatched: false,
    isDoubled: false,
    series: ['a:10042', 'b:10042', 'c:10042'].flatMap((instance, i): string[] => {
      const of = `instance="${instance}",account="a"`;
      const team = i === 1 ? ',team="payments"' : '';
      return [
        `cvm_monitor_account_info{${of}${team}} 1x30`,
        `cvm_monitor_target_up{${of},region="r",operation="o"} 1x30`,
        ...quota(`${of},${image}`, { remaining: '0x30', limit: '10x30', warning: '2x30' }),
      ];
    }),
    expect: [['10m', 'CvmQuotaExhausted', 'team="payments"']],
  },
  'of two daemons with different thresholds, the higher one counts': {
    series: [
      ...quota(`account="a",${place}`, { ...ofHundred, remaining: '25x60' }),
      ...quota(`instance="b:10042",account="a",${place}`, {
        remaining: '25x60',
        limit: '100x60',
        warning: '30x60',
        critical: '10x60',
      }),
    ],
    expect: [['20m', 'CvmQuotaLow', 'account="a",severity="warning"']],
  },
  'equal names in two clusters are two accounts': {
    series: [
      ...quota(`cluster="one",account="production",${place}`, { ...ofHundred, remaining: '15x60' }),
      ...quota(`cluster="two",account="production",${place}`, {
        remaining: '15x60',
        limit: '50x60',
        warning: '10x60',
        critical: '5x60',
      }),
    ],
    expect: [['20m', 'CvmQuotaLow', 'cluster="one",severity="warning"']],
    text: {
      at: '20m',
      alert: 'CvmQuotaLow',
      labels: {
        ...common,
        ...postpaidLabels,
        severity: 'warning',
        cluster: 'one',
        account: 'production',
      },
      summary: 'The postpaid quota is low in z of account production',
      description:
        'Less remains of the postpaid quota than its threshold. In z of account production, what remains is 15 of 100 (instances).',
    },
  },
  'an exhausted quota at once, through a restart, and no muted one, also at the first evaluation': {
    series: [
      ...quota(`account="exhausted",${image}`, {
        remaining: '0x10 stale',
        limit: '10x10 stale',
        warning: '2x10 stale',
      }),
      ...quota(`account="overdrawn",${image}`, { remaining: '-1x30', limit: '10x30' }),
      ...quota(`account="used",${place}`, { remaining: '5x30', used: '25x30', limit: '10x30' }),
      ...quota(`account="without-limit",${place}`, {
        remaining: '0x30',
        used: '3x30',
        limit: '0x30',
      }),
      ...quota(`account="muted",${place}`, { remaining: '0x30', used: '10x30', limit: '10x30' }),
      ...quota(`account="none",${place}`, { remaining: '0x30', used: '0x30', limit: '0x30' }),
      ...quota(`account="nearly",${place}`, { remaining: '1x30', limit: '10x30', warning: '1x30' }),
    ],
    expect: [0, 5, 13].map((minute) => [
      `${minute}m`,
      'CvmQuotaExhausted',
      'account="exhausted",team="payments"',
      'account="overdrawn",team="payments"',
      'account="used",team="payments"',
      'account="without-limit",team="payments"',
    ]),
  },
  'a daemon without any threshold': {
    series: quota(`account="production",${image}`, { remaining: '0x30', limit: '10x30' }),
    expect: [['20m', 'CvmMonitorThresholdsMissing', 'instance="a:10042",severity="critical"']],
    isDoubled: false,
  },

  'a quota that fills up steadily, and none that is muted, was bought once, or is slow': {
    series: [
      ...quota(`account="steady",${place}`, {
        ...ofHundred,
        used: '30+0.5x70',
        remaining: '70-0.5x70',
      }),
      ...quota(`account="muted",${place}`, {
        limit: '100x70',
        used: '30+0.5x70',
        remaining: '70-0.5x70',
      }),
      ...quota(`account="once",${place}`, {
        ...ofHundred,
        used: '10x40 70x30',
        remaining: '90x40 30x30',
      }),
      ...quota(`account="slow",${place}`, {
        ...ofHundred,
        used: '10+0.05x70',
        remaining: '90-0.05x70',
      }),
    ],
    expect: [
      ['30m', 'CvmQuotaFillingUp'],
      ['70m', 'CvmQuotaFillingUp', 'account="steady",severity="warning"'],
    ],
    text: {
      at: '70m',
      alert: 'CvmQuotaFillingUp',
      labels: { ...common, ...postpaidLabels, severity: 'warning', account: 'steady' },
      summary: 'The postpaid quota is filling up in z of account steady',
      description:
        'The use of the postpaid quota (instances) grows steadily. In z of account steady, at the rate of the last hour, nothing remains in 1h 10m 0s.',
    },
  },
  'a change fires for an hour, and a second one within the hour is another alert': {
    series: changes('account="a"', '0x9 1x19 2x200', '_x10 600x19 1800x200'),
    expect: [
      ...changed('9m'),
      ...changed('11m', 'account="a",change="1",severity="warning",team="payments"'),
      ...changed('45m', 'account="a",change="2"'),
      ...changed('88m', 'account="a",change="2"'),
      ...changed('110m'),
    ],
  },
  'a change that was found after a restart elsewhere, and one after three hours without a daemon': {
    series: [
      ...changes('instance="a",pod="one",account="moved"', '2x100 stale', '60x100 stale'),
      ...changes('instance="b",pod="two",account="moved"', '_x105 3x300', '_x105 6300x300'),
      ...changes('instance="a",account="away"', '2x30 stale', '60x30 stale'),
      ...changes('instance="b",account="away"', '_x210 3x200', '_x210 12600x200'),
    ],
    expect: [
      ...changed('103m'),
      ...changed('107m', 'account="moved"'),
      ...changed('190m'),
      ...changed('212m', 'account="away"'),
      ...changed('290m'),
    ],
  },
  // Prometheus sees nothing from minute 60 to 300, and from hour 6 on for two days; the changes are early in the gaps.
  'a change early in an outage of Prometheus, of hours and of days': {
    interval: '5m',
    isWatched: false,
    isDoubled: false,
    series: [
      'cvm_monitor_account_info{account="a"} 1x11 stale _x47 1x11 stale _x576 1x60',
      `cvm_monitor_target_up{${target('a')}} 1x11 stale _x47 1x11 stale _x576 1x60`,
      ...changes(
        'account="a"',
        '2x11 stale _x47 3x11 stale _x576 4x60',
        '-9000x11 stale _x47 3900x11 stale _x576 22500x60',
      ),
    ],
    expect: [
      ...changed('55m'),
      ...changed('310m', 'account="a",change="3",team="none"'),
      ...changed('3250m', 'account="a",change="4",team="none"'),
      ...changed('3350m'),
    ],
  },
  'nothing new: restarts, lost state, counters and times seen for the first time, a missing scrape':
    {
      isDoubled: false,
      series: [
        ...changes('account="restarted"', '4x90 stale _x4 4x200', '60x90 stale _x4 60x200'),
        ...changes('account="lost"', '4x90 stale _x4 0x200', '60x90 stale'),
        ...changes('account="new"', '_x90 7x200', '_x90 60x200'),
        // Two daemons of different history. Of the one with the higher counter, scrapes are missing.
        ...changes(
          'instance="a",account="two"',
          '5x90 stale _x3 5x200',
          '120x90 stale _x3 120x200',
        ),
        ...changes('instance="b",account="two"', '2x300', '60x300'),
      ],
      expect: [91, 98, 120, 160, 200].flatMap((minute) => changed(`${minute}m`)),
    },
  'a change that a wrong clock dates to tomorrow fires now': {
    series: [
      ...changes('account="a"', '0x10 1x200', '_x11 87060x200'),
      'cvm_monitor_clock_skew_seconds{account="a"} 86400x200',
    ],
    expect: [...changed('12m', 'account="a"'), ...changed('90m')],
  },
  'the texts of a lowered limit': {
    series: [
      ...changes('account="production"', '0x9 1x30', '_x10 600x30').slice(0, 2),
      ...quota(`account="production",${image}`, { limit: '100x9 80x30' }),
    ],
    text: {
      at: '11m',
      alert: 'CvmQuotaLimitLowered',
      labels: {
        ...common,
        ...imageLabels,
        severity: 'warning',
        account: 'production',
        change: '1',
      },
      summary: 'The limit of the image quota was lowered in r of account production',
      description:
        'The service lowered the limit of the image quota (images). In r of account production, it is now 80.',
    },
  },
  'the texts of a changed default version': {
    series: [
      ...changes('account="production"', '0x9 1x30', '_x10 600x30').slice(2),
      `cvm_launch_template_default_version_info{account="production",${versions},version="6",image_id="img-pmqg1cw7",instance_type="S5.LARGE8",charge_type="POSTPAID_BY_HOUR",template_name="web"} 1x60`,
    ],
    text: {
      at: '11m',
      alert: 'CvmLaunchTemplateDefaultVersionChanged',
      labels: {
        ...common,
        severity: 'warning',
        account: 'production',
        region: 'r',
        template_id: 'lt-b8v1kcyq',
        change: '1',
      },
      summary:
        'The default version of launch template lt-b8v1kcyq changed in r of account production',
      description:
        'Launches that name no version of template lt-b8v1kcyq use another one now. In r of account production, the default is version 6 (image img-pmqg1cw7, type S5.LARGE8).',
    },
  },
  'a quota that disappears: critical if it was critical before, and over when it returns': {
    series: [
      ...quota(`account="low",${image}`, {
        ...ofHundred,
        remaining: '5x30 stale',
        limit: '100x30 stale',
      }),
      `cvm_quota_disappeared_total{account="low",${image}} 0x49 1x200`,
      `cvm_quota_disappeared_timestamp_seconds{account="low",${image}} _x50 3000x200`,
      ...quota(`account="fine",${image}`, {
        ...ofHundred,
        remaining: '50x30 stale',
        limit: '100x30 stale',
      }),
      `cvm_quota_disappeared_total{account="fine",${image}} 0x49 1x200`,
      `cvm_quota_disappeared_timestamp_seconds{account="fine",${image}} _x50 3000x20 stale`,
    ],
    expect: [
      ['45m', 'CvmQuotaDisappeared'],
      [
        '52m',
        'CvmQuotaDisappeared',
        'account="low",severity="critical",team="payments"',
        'account="fine",severity="warning",team="payments"',
      ],
      ['90m', 'CvmQuotaDisappeared', 'account="low",severity="critical"'],
      ['130m', 'CvmQuotaDisappeared'],
    ],
  },
  'what lists lack: each event once, not for a missing scrape, and again after the state was lost':
    {
      isDoubled: false,
      series: [
        'cvm_launch_templates_deleted_total{account="a",region="r"} 0x9 2x400',
        'cvm_launch_templates_replaced_total{account="a",region="s"} 0x9 1x400',
        'cvm_launch_templates_left_selection_total{account="a",region="t"} 3x9 4x400',
        'cvm_launch_templates_deleted_total{instance="a",account="two",region="r"} 5x90 stale _x3 5x300',
        'cvm_launch_templates_deleted_total{instance="b",account="two",region="r"} 2x400',
        'cvm_launch_templates_deleted_total{account="lost",region="r"} 4x30 0x210 1x200',
        'cvm_regions_appeared_total{account="a",region="ap-guangzhou"} 0x9 1x400',
        'cvm_regions_disappeared_total{account="a",region="ap-guangzhou"} 0x199 1x400',
        'cvm_regions_replaced_total{account="b",region="ap-guangzhou"} 0x9 1x400',
        'cvm_monitor_regions_left_out{account="c"} 0x9 2x400',
      ],
      expect: [
        ['8m', 'CvmLaunchTemplatesGone'],
        [
          '12m',
          'CvmLaunchTemplatesGone',
          'account="a",event="deleted",region="r",team="payments"',
          'account="a",event="replaced",region="s",team="payments"',
          'account="a",event="left the selection",region="t",team="payments"',
        ],
        [
          '12m',
          'CvmRegionsChanged',
          'account="a",event="region appeared",change="1"',
          'account="b",event="regions replaced",change="1"',
          'account="c",event="region left out",change="2"',
        ],
        ['160m', 'CvmLaunchTemplatesGone'],
        ['160m', 'CvmRegionsChanged'],
        ['205m', 'CvmRegionsChanged', 'account="a",event="region disappeared",change="1"'],
        ['250m', 'CvmLaunchTemplatesGone', 'account="lost",event="deleted"'],
      ],
    },
  // Prometheus sees nothing for three hours, and a template is deleted early in them.
  'what lists lacked during an outage of Prometheus': {
    isDoubled: false,
    series: ['cvm_launch_templates_deleted_total{account="a",region="r"} 1x99 stale _x180 2x200'],
    expect: [['290m', 'CvmLaunchTemplatesGone', 'account="a",event="deleted",change="2"']],
  },
  'a target that fails twice in a row for 10 minutes, with the code of the last failure': {
    series: [
      ...failing(target('production', ',template_id="lt-1"'), 10, 'Timeout'),
      // One failure in a row, one that another daemon reaches, and one with a poll every 15 minutes.
      `cvm_monitor_target_up{${target('once')}} 0x60`,
      `cvm_monitor_target_failing_since_timestamp_seconds{${target('once')},code="Timeout"} 0x60`,
      `cvm_monitor_target_last_poll_timestamp_seconds{${target('once')}} 0x60`,
      ...failing(target('shared'), 10, 'Timeout'),
      `cvm_monitor_target_up{instance="b",${target('shared')}} 1x60`,
      `cvm_monitor_target_up{${target('slow')}} 1x14 0x60`,
      `cvm_monitor_target_failing_since_timestamp_seconds{${target('slow')},code="Timeout"} _x15 900x60`,
      `cvm_monitor_target_last_poll_timestamp_seconds{${target('slow')}} 0x14 900x14 1800x40`,
    ],
    expect: [
      ['19m', 'CvmMonitorTargetFailing'],
      ['29m', 'CvmMonitorTargetFailing', 'account="production"'],
      ['32m', 'CvmMonitorTargetFailing', 'account="production"', 'account="slow"'],
    ],
    text: {
      at: '25m',
      alert: 'CvmMonitorTargetFailing',
      labels: {
        ...common,
        severity: 'warning',
        account: 'production',
        region: 'r',
        operation: 'DescribeAccountQuota',
        template_id: 'lt-1',
        code: 'Timeout',
      },
      summary: 'DescribeAccountQuota fails for lt-1 in r in account production',
      description:
        'At least two polls in a row of DescribeAccountQuota have failed, the last one with Timeout. In lt-1 in r of account production, none has succeeded for 15m 0s.',
    },
  },
  'an outage of the service is one alert for each account and code, and one page for the account': {
    series: [1, 2, 3, 4].flatMap((n) => [
      ...failing(target('a', `,template_id="lt-${n}"`), 10, 'InternalError'),
      ...stale(target('a', `,template_id="lt-${n}"`), 20),
    ]),
    expect: [
      [
        '25m',
        'CvmMonitorTargetFailing',
        'account="a",code="InternalError",operation="",team="payments"',
      ],
      ['24m', 'CvmMonitorTargetStale'],
      [
        '26m',
        'CvmMonitorTargetStale',
        'account="a",code="InternalError",operation="",team="payments"',
      ],
    ],
    text: {
      at: '30m',
      alert: 'CvmMonitorTargetStale',
      labels: { ...common, severity: 'critical', account: 'a', code: 'InternalError' },
      summary: 'Many targets are stale in account a',
      description:
        'Quotas or versions are not exposed now, so no other alert watches them. Stale targets of account a that fail with InternalError: 4.',
    },
  },
  // Of 21 accounts, 15 are left from minute 40 on, and 10 from minute 70 on. At minute 100, there are 15 again.
  'what more than 20 accounts have is one alert for their team until 10 are left, and nothing else is silent':
    {
      isWatched: false,
      isDoubled: false,
      series: [
        ...accountsOf(21).flatMap((account, n) => [
          ...watched(`account="${account}"`, n < 19 ? 'payments' : 'search'),
          ...failing(target(account), 10, 'InternalError', n < 6 ? 40 : n < 11 ? 70 : 200),
        ]),
        ...accountsOf(5).flatMap((account) =>
          failing(target(account, ',template_id="again"'), 90, 'InternalError'),
        ),
        ...failing(target('a0', ',template_id="lt-1"'), 10, 'Timeout', 40),
        ...watched('namespace="other",account="a0"', 'payments'),
        ...failing(`namespace="other",${target('a0')}`, 10, 'InternalError', 40),
      ],
      expect: [
        ['19m', 'CvmMonitorTargetFailing'],
        ...['25m', '35m'].map((time): Expectation => [
          time,
          'CvmMonitorTargetFailing',
          'code="InternalError",team="payments",account="",region="",namespace=""',
          'account="a19",region="r",namespace="",code="InternalError",team="search"',
          'account="a20",region="r",namespace="",code="InternalError",team="search"',
          'account="a0",region="r",namespace="",code="Timeout",team="payments"',
          'account="a0",region="r",namespace="other",code="InternalError",team="payments"',
        ]),
        [
          '65m',
          'CvmMonitorTargetFailing',
          'team="payments",account=""',
          'account="a19",team="search"',
          'account="a20",team="search"',
        ],
        ...['85m', '120m'].map((time): Expectation => [
          time,
          'CvmMonitorTargetFailing',
          ...accountsOf(21)
            .slice(time === '85m' ? 11 : 0)
            .filter((_, n) => time === '85m' || n < 5 || n > 10)
            .map((account) => `account="${account}"`),
        ]),
      ],
    },
  'the texts of what more than 20 accounts have': {
    series: accountsOf(21).flatMap((account) => [
      ...failing(target(account), 10, 'InternalError'),
      ...stale(target(account), 20),
    ]),
    text: {
      at: '30m',
      alert: 'CvmMonitorTargetStale',
      labels: { ...common, severity: 'critical', code: 'InternalError' },
      summary: 'Many targets are stale in 21 accounts',
      description:
        'Quotas or versions are not exposed now, so no other alert watches them. Stale targets of 21 accounts that fail with InternalError: 21.',
    },
  },
  'a stale target, one that never had a success, and none that is fresh by the configuration': {
    series: [
      ...failing(target('a'), 5, 'Timeout'),
      ...stale(target('a'), 15),
      `cvm_monitor_target_up{${target('never')}} 0x60`,
      // A poll every hour, and stale_after of three hours. The second poll fails.
      ...failing(target('fresh'), 5, 'Timeout').slice(0, 1),
      `cvm_monitor_target_last_success_timestamp_seconds{${target('fresh')}} 0x300`,
      `cvm_monitor_target_incomplete{${target('fresh')}} 0x300`,
      'cvm_monitor_build_info 1x300',
      // check stopped; node_exporter still shows its last result.
      `cvm_monitor_target_up{job="node",instance="n",${target('file')}} 1x300`,
      `cvm_monitor_account_info{job="node",instance="n",account="file",team="batch"} 1x300`,
      `cvm_monitor_target_last_success_timestamp_seconds{job="node",instance="n",${target('file')}} 60x300`,
      `cvm_monitor_target_incomplete{job="node",instance="n",${target('file')}} 0x300`,
    ],
    expect: [
      ['14m', 'CvmMonitorTargetStale'],
      [
        '21m',
        'CvmMonitorTargetStale',
        'account="a",severity="critical",code="Timeout"',
        'account="never",severity="critical",code=""',
      ],
      [
        '70m',
        'CvmMonitorTargetStale',
        'account="a",team="payments"',
        'account="never",team="payments"',
        'account="file",team="batch"',
      ],
    ],
  },
  'a target whose answers lack something': {
    series: [
      `cvm_monitor_target_incomplete{${target('production')}} 0x4 1x60`,
      `cvm_monitor_target_incomplete{${target('fine')}} 0x60`,
    ],
    expect: [['9m', 'CvmMonitorTargetIncomplete']],
    text: {
      at: '11m',
      alert: 'CvmMonitorTargetIncomplete',
      labels: {
        ...common,
        severity: 'warning',
        account: 'production',
        region: 'r',
        operation: 'DescribeAccountQuota',
      },
      summary: 'DescribeAccountQuota is incomplete for r of account production',
      description:
        'The answers lack something that no other alert watches: the status page and the log line "answer is incomplete" name it. This is DescribeAccountQuota for r of account production.',
    },
  },
  'refused credentials once for an account, with its team from the first poll on': {
    series: [
      ...failing(target('a'), 1, 'AuthFailure.SecretIdNotFound'),
      ...failing(target('a', ',template_id="lt-1"'), 1, 'AuthFailure.SecretIdNotFound'),
      ...failing(target('b'), 1, 'UnauthorizedOperation'),
      ...failing(target('other'), 1, 'Timeout'),
      `cvm_monitor_target_up{${target('renewed')}} 0x4 1x60`,
      `cvm_monitor_target_failing_since_timestamp_seconds{${target('renewed')},code="Credentials"} 0x4 stale`,
    ],
    expect: [
      ['6m', 'CvmMonitorCredentialsRefused'],
      [
        '8m',
        'CvmMonitorCredentialsRefused',
        'account="a",code="AuthFailure.SecretIdNotFound",severity="critical",team="payments"',
        'account="b",code="UnauthorizedOperation",severity="critical",team="payments"',
      ],
    ],
  },
  'credentials that end and cannot be renewed': {
    series: [
      'cvm_monitor_credentials_expiry_timestamp_seconds{account="a"} 1200x60',
      'cvm_monitor_credentials_failures_total{account="a",type="cvm_role"} 0x14 1+1x60',
      'cvm_monitor_credentials_expiry_timestamp_seconds{account="renewed"} 1200x14 5000x60',
      'cvm_monitor_credentials_failures_total{account="renewed",type="cvm_role"} 0x60',
    ],
    expect: [
      ['15m', 'CvmMonitorCredentialsExpiring'],
      ['18m', 'CvmMonitorCredentialsExpiring', 'account="a",severity="warning",team="payments"'],
    ],
  },
  'throttled requests, and cycles that take longer than the schedule allows': {
    series: [
      'cvm_monitor_api_requests_total{account="a",operation="o"} 0+10x90',
      'cvm_monitor_api_request_errors_total{account="a",operation="o",code="RequestLimitExceeded"} 0+1x90',
      'cvm_monitor_api_requests_total{account="burst",operation="o"} 0+10x90',
      'cvm_monitor_api_request_errors_total{account="burst",operation="o",code="RequestLimitExceeded"} 0x9 50x80',
      'cvm_monitor_cycles_total{account="a"} 0+1x90',
      'cvm_monitor_cycles_skipped_total{account="a",reason="overlap"} 0+1x90',
      'cvm_monitor_cycles_total{account="burst"} 0+1x90',
      'cvm_monitor_cycles_skipped_total{account="burst",reason="overlap"} 0x90',
      // Behind one address, counters jump between processes.
      'process_start_time_seconds{instance="shared"} 0 600 0 600 0 600 0x60',
      'cvm_monitor_build_info{instance="shared"} 1x90',
      'cvm_monitor_api_requests_total{instance="shared",account="shared",operation="o"} 0+10x90',
      'cvm_monitor_api_request_errors_total{instance="shared",account="shared",operation="o",code="RequestLimitExceeded"} 0+1x90',
    ],
    expect: [
      [
        '40m',
        'CvmMonitorThrottled',
        'account="a",operation="o",severity="warning",team="payments"',
      ],
      ['40m', 'CvmMonitorCyclesOverrunning', 'account="a",severity="warning",team="payments"'],
    ],
  },
  'a daemon that does not answer, one of a cluster, and one that no daemon of its part replaces': {
    isDoubled: false,
    series: [
      'up{namespace="alone"} 1x9 0x60',
      'up{namespace="restarted"} 1x9 0x3 1x60',
      'up{namespace="n",instance="b"} 0x60',
      'up{namespace="n",instance="c"} 1x60',
      'cvm_monitor_cluster_store_up{namespace="n",instance="c"} 1x60',
      'up{namespace="parts",shard="0",instance="d"} 0x60',
      'cvm_monitor_cluster_store_up{namespace="parts",shard="1",instance="e"} 1x60',
    ],
    expect: [
      ['12m', 'CvmMonitorAbsent', 'instance="d",severity="critical"'],
      [
        '17m',
        'CvmMonitorAbsent',
        'namespace="alone",severity="critical"',
        'namespace="n",severity="warning"',
        'namespace="parts",severity="critical"',
      ],
      ['17m', 'CvmMonitorAccountAbsent'],
    ],
  },
  'a daemon that was never there, and none while node_exporter has the metrics': {
    series: ['up{job="node"} 1x60'],
    expect: [['7m', 'CvmMonitorAbsent', 'job="cvm-quota-monitor",severity="critical"']],
  },
  'accounts that service discovery loses, also while another target of the job exists': {
    interval: '5m',
    isWatched: false,
    isDoubled: false,
    series: [
      ...['one', 'two'].flatMap((namespace): string[] => {
        const until = namespace === 'one' ? '1x11 stale' : '1x400';
        const of = `namespace="${namespace}",instance="${namespace}"`;
        return [`up{${of}} ${until}`, ...watched(`${of},account="production"`, namespace, until)];
      }),
      // Its daemon moves to another pod.
      'up{namespace="moved",instance="a",pod="a"} 1x11 stale',
      ...watched('namespace="moved",instance="a",pod="a",account="m"', 'm', '1x11 stale'),
      'up{namespace="moved",instance="b",pod="b"} _x12 1x400',
      ...watched('namespace="moved",instance="b",pod="b",account="m"', 'm', '_x12 1x400'),
      // Its daemon does not answer: that is CvmMonitorAbsent.
      'up{namespace="down",instance="c"} 1x11 0x400',
      ...watched('namespace="down",instance="c",account="d"', 'd', '1x11 stale'),
    ],
    expect: [
      ['55m', 'CvmMonitorAccountAbsent'],
      [
        '80m',
        'CvmMonitorAccountAbsent',
        'account="production",namespace="one",team="one",severity="critical"',
      ],
      ['1600m', 'CvmMonitorAccountAbsent'],
    ],
  },
  'records that stay unwritten, and not one write that was repeated': {
    isDoubled: false,
    series: [
      'cvm_monitor_state_unwritten_records 0x9 2x60',
      'cvm_monitor_state_unwritten_records{instance="repeated"} 0x9 1 0x60',
    ],
    expect: [
      ['14m', 'CvmMonitorStateNotWritten'],
      ['16m', 'CvmMonitorStateNotWritten', 'instance="a:10042",severity="critical"'],
    ],
  },
  'damaged records, at the start and later': {
    isDoubled: false,
    series: [
      'process_start_time_seconds 0x120',
      'cvm_monitor_state_damaged_files_total 2x120',
      'process_start_time_seconds{instance="later"} -9000x120',
      'cvm_monitor_state_damaged_files_total{instance="later"} 0x9 1x120',
    ],
    expect: [
      ['1m', 'CvmMonitorStateDamaged', 'instance="a:10042",severity="warning"'],
      ['12m', 'CvmMonitorStateDamaged', 'instance="a:10042"', 'instance="later"'],
      ['90m', 'CvmMonitorStateDamaged'],
    ],
  },
  'a refused configuration, unusable certificates, and a wrong clock': {
    isDoubled: false,
    series: [
      'cvm_monitor_config_last_reload_successful 1x4 0x60',
      'cvm_monitor_config_last_reload_success_timestamp_seconds 0x60',
      'cvm_monitor_web_config_last_reload_successful 1x4 0x60',
      'cvm_monitor_web_config_last_reload_success_timestamp_seconds 0x60',
      'cvm_monitor_clock_skew_seconds{account="a"} -90x60',
      'cvm_monitor_clock_skew_seconds{account="once"} 0x9 90 0x60',
    ],
    expect: [
      ['9m', 'CvmMonitorConfigReloadFailed'],
      ['12m', 'CvmMonitorWebConfigReloadFailed', 'instance="a:10042",severity="warning"'],
      ['14m', 'CvmMonitorClockSkewed'],
      ['16m', 'CvmMonitorClockSkewed', 'instance="a:10042",account="",severity="warning"'],
    ],
    text: {
      at: '12m',
      alert: 'CvmMonitorConfigReloadFailed',
      labels: { severity: 'warning', job: 'cvm-quota-monitor', instance: 'a:10042' },
      summary: 'a:10042 refused its changed configuration',
      description:
        'The last reload failed: the file has a mistake, or did not answer. a:10042 continues with what it loaded 12m 0s ago.',
    },
  },
  'a cluster: a store that no daemon reaches, that one does not reach, waiting cycles, two configurations':
    {
      isDoubled: false,
      series: [
        'cvm_monitor_cluster_store_up{namespace="none",instance="a",shard="0"} 1x9 0x60',
        'cvm_monitor_cluster_store_up{namespace="none",instance="b",shard="1"} 1x10 0x60',
        'cvm_monitor_cluster_store_up{namespace="one",instance="c"} 1x9 0x60',
        'cvm_monitor_cluster_store_up{namespace="one",instance="d"} 1x60',
        'cvm_monitor_cluster_store_up{namespace="restarted",instance="e"} 1x9 0 1x60',
        'cvm_monitor_cluster_oldest_waiting_cycle_timestamp_seconds{namespace="one",instance="c"} 600x60',
        'cvm_monitor_cluster_configurations{namespace="one",instance="c"} 2x60',
        'cvm_monitor_cluster_configurations{namespace="one",instance="d"} 1x60',
      ],
      expect: [
        ['11m', 'CvmMonitorClusterStoreDown'],
        [
          '15m',
          'CvmMonitorClusterStoreDown',
          'namespace="none",instance="",severity="critical"',
          'namespace="one",instance="c",severity="warning"',
        ],
        ['15m', 'CvmMonitorClusterCycleWaiting'],
        ['17m', 'CvmMonitorClusterCycleWaiting', 'namespace="one",severity="warning"'],
        ['9m', 'CvmMonitorClusterConfigDiffers'],
        ['12m', 'CvmMonitorClusterConfigDiffers', 'namespace="one",severity="warning"'],
      ],
    },
});

it('the rules are one group, so that an alert reads no record of an earlier evaluation', () => {
  expect(groups).toHaveLength(1);
});

it('the rules name only metrics that the daemon exposes', () => {
  expect(unknownMetrics(rulesText)).toEqual([]);
});

it.each(alerts)(
  'the rule of $alert says how grave it is, what happened, and asks for nothing',
  (rule) => {
    expect(rule.labels?.severity).toMatch(/^(warning|critical)$/);
    expect(rule.annotations?.summary).toBeTruthy();
    expect(rule.annotations?.description).toBeTruthy();
    expect(rule.annotations?.runbook_url).toBe(`{{ $labels.runbooks }}/${rule.alert}.md`);
    expect(rule.annotations?.status_page).toContain('{{ $labels.status_page }}/');
    expect(JSON.stringify([rule.labels, rule.annotations])).not.toContain('query');
  },
);

it.runIf(hasPromtool)('promtool accepts the shipped configuration and its rules', async () => {
  const path = join(dirname(rulesPath), 'prometheus.yaml');

  const output = await runProgram('promtool', [
    'check',
    'config',
    '--lint=all',
    '--lint-fatal',
    path,
  ]);

  expect(output).toContain('1 rule files found');
});
