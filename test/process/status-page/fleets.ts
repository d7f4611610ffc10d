/** Monitors with realistic data. */
import { accountCycle, clusterStatus, member } from '../../support/cluster-status.ts';
import {
  FakeMonitor,
  quota,
  quotas,
  quotaTarget,
  templateTarget,
  versions,
} from '../../support/fake-monitor.ts';

const minute = 60_000;

/** A few accounts, with every state of a target and of a quota. */
export function smallFleet(): FakeMonitor {
  const guangzhou = quotaTarget('production', 'ap-guangzhou');
  const shanghai = quotaTarget('production', 'ap-shanghai');
  const staging = quotaTarget('staging', 'ap-singapore');
  const gone = quotaTarget('staging', 'ap-tokyo');
  const web = templateTarget('production', 'ap-guangzhou', 'lt-b8v1kcyq');
  const batch = templateTarget('production', 'ap-shanghai', 'lt-4kq0zr2m');
  const missing = templateTarget('staging', 'ap-singapore', 'lt-0000dead');
  const monitor = new FakeMonitor(guangzhou, web, shanghai, batch, staging, missing, gone);
  const { nowMs } = monitor;
  const poll = (agoMinutes: number, ...poll: Parameters<FakeMonitor['poll']>) => {
    monitor.nowMs = nowMs - agoMinutes * minute;
    monitor.poll(...poll);
    monitor.nowMs = nowMs;
  };
  /** An autoscaler that works by day, a fleet that has grown for some hours, and quotas that stay. */
  for (let ago = 24 * 60; ago >= 0; ago -= 15) {
    const spot = 165 - Math.round(Math.min(ago, 480) / 10);
    poll(
      Math.max(ago, 1),
      guangzhou,
      quotas(
        quota({ used: 268 - Math.round(70 * (1 - Math.cos(ago / 229))), limit: 288 }),
        quota({ used: 512, limit: ago > 62 ? 1_000 : 1_250, zone: 'ap-guangzhou-4' }),
        quota({ type: 'prepaid', used: 41, limit: 255, onceLimit: 300 }),
        quota({ type: 'spotpaid', used: spot, limit: 199, zone: 'ap-guangzhou-4' }),
        quota({ type: 'image', used: 6, limit: 10, zone: null }),
        quota({ type: 'disaster_recover_group', used: 3, limit: 10, zone: null }),
      ),
    );
    if (ago < 95) continue;
    poll(ago, gone, quotas(quota({ used: 118, limit: 150, zone: 'ap-tokyo-1' })));
  }
  poll(240, web, versions([1, 2, 5, 6, 8, 9], 5));
  for (const ago of [7, 1]) poll(ago, web, versions([1, 2, 5, 6, 8, 9, 11], 8));
  poll(1, batch, versions([1, 2, 3], 3, { instanceType: 'SA5.LARGE8' }));
  poll(38, missing, {
    code: 'InvalidParameterValue.LaunchTemplateNotFound',
    message: 'The launch template lt-0000dead is not found.',
    requestId: '8b8e3c2a-5f6d-4d57-9f6e-0d3f5b1c7a42',
  });
  poll(38, gone, {
    code: 'AuthFailure.SecretIdNotFound',
    message: 'The SecretId is not found, please ensure that your SecretId is correct.',
  });
  poll(
    1,
    shanghai,
    quotas(
      quota({ used: 140, limit: 400, zone: 'ap-shanghai-4' }),
      quota({ used: 205, limit: 600, zone: 'ap-shanghai-5' }),
      quota({ type: 'spotpaid', used: 160, limit: 160, zone: 'ap-shanghai-4' }),
      quota({ type: 'image', used: 4, limit: 10, zone: null }),
    ),
  );
  poll(
    1,
    staging,
    quotas(
      quota({ used: 61, limit: 150, zone: 'ap-singapore-2' }),
      quota({ type: 'spotpaid', used: 0, limit: 0, zone: 'ap-singapore-3' }),
    ),
  );
  return monitor;
}

/** Names and messages as long as they can be, with words that cannot be broken, in several languages. */
export function longFleet(): FakeMonitor {
  const account = 'Donaudampfschifffahrtsgesellschaft.Produktionsumgebung-Abrechnu';
  const region = 'ap-guangzhou-open-special-administrative-region-of-the-far-south';
  const target = quotaTarget(account, region);
  const failing = quotaTarget('生产环境账户', region);
  const template = templateTarget(account, region, 'lt-abcdefghijklmnopqrstuvwxyz012345');
  const monitor = new FakeMonitor(target, failing, template);
  const zone = `${region}-1`;
  const huge = 99_999_999;
  monitor.poll(target, {
    ...quotas(
      quota({ used: huge - 7, limit: huge, zone }),
      quota({ type: 'disaster_recover_group', used: 12, limit: 10, zone: null }),
    ),
    missing: [
      'Zone 广州七区: 响应中没有可用的行',
      `${'Quotenüberschreitungsbenachrichtigung'.repeat(4)}: no name`,
    ],
  });
  monitor.poll(failing, {
    code: 'UnauthorizedOperation.CamNoAuthBecauseOfAnExceedinglyLongReasonWithoutAnyDot',
    message: `您没有权限执行此操作，请联系主账号管理员授权。${'配额'.repeat(60)} Berechtigungsüberprüfungsfehler`,
    requestId: '0d3f5b1c-7a42-4d57-9f6e-8b8e3c2a5f6d',
  });
  const data = {
    imageId: 'img-0123456789abcdefghij',
    instanceType: 'SA5.16XLARGE256',
    chargeType: 'POSTPAID_BY_HOUR',
  };
  monitor.poll(template, versions([1, 30], 30, data));
  monitor.poll(template, versions([1, 30], 1, data));
  return monitor;
}

/** Many targets: `accounts` × 20 regions × (quotas and four templates). */
export function largeFleet(accounts: number): FakeMonitor {
  const places = Array.from({ length: accounts * 20 }, (_, i) => ({
    account: `account-${String(Math.floor(i / 20)).padStart(2, '0')}`,
    region: `ap-region-${String(i % 20).padStart(2, '0')}`,
    i,
  }));
  const targets = places.map(({ account, region, i }) => ({
    i,
    region,
    quota: quotaTarget(account, region),
    templates: [0, 1, 2, 3].map((n) =>
      templateTarget(account, region, `lt-${String(i * 4 + n).padStart(8, '0')}`),
    ),
  }));
  const monitor = new FakeMonitor(...targets.flatMap((place) => [place.quota, ...place.templates]));
  for (const { i, quota: target, region, templates } of targets) {
    const zones = [1, 2, 3].map((n) =>
      quota({ used: (i * 37 + n * 91) % 400, limit: 400, zone: `${region}-${n}` }),
    );
    monitor.poll(target, quotas(...zones));
    for (const template of templates) monitor.poll(template, versions([1, 2, 3], 1 + (i % 3)));
  }
  return monitor;
}

/** Four accounts with names as they are, and quotas of every type. Those of the first account are stale. */
export function namedFleet(): FakeMonitor {
  const names = [
    'data-intl',
    'staging-shared',
    'acme-payments-production',
    'acme-search-and-recommendation',
  ];
  const targets = names.map((name) => quotaTarget(name, 'na-siliconvalley'));
  const templates = names.map((name) => templateTarget(name, 'na-siliconvalley', 'lt-b8v1kcyq'));
  const monitor = new FakeMonitor(...targets, ...templates);
  for (const target of targets) {
    const zone = 'na-siliconvalley-2';
    const types = ['postpaid', 'prepaid', 'spotpaid'] as const;
    const regional = ['image', 'disaster_recover_group'] as const;
    monitor.poll(
      target,
      quotas(
        ...types.map((type) => quota({ type, used: 1_200, limit: 1_250, zone })),
        ...regional.map((type) => quota({ type, used: 1, limit: 10, zone: null })),
      ),
    );
    if (target === targets[0]) monitor.nowMs += 16 * minute;
  }
  for (const target of templates) monitor.poll(target, versions([1, 2], 1));
  return monitor;
}

/** A small fleet with everything that the page can say about a cluster and the monitor itself. */
export function inTrouble(): FakeMonitor {
  const monitor = smallFleet();
  monitor.reloadProblem = `quota.yaml:3:4: accounts[0].name: ${'wrong'.repeat(60)}`;
  monitor.links = {
    grafana: 'https://grafana.example.com/',
    runbooks: 'https://runbooks.example.com/',
  };
  monitor.cluster = clusterStatus({
    members: [
      member('web-1:14', { isThis: true }),
      member(`${'a-host-with-a-long-name.'.repeat(6)}:9`, { configuration: 'b02f44d1a7c3' }),
    ],
    accounts: [
      accountCycle('production', { polledBy: 'web-1:14' }),
      accountCycle('staging', { waitingSinceMs: monitor.nowMs - 120_000 }),
    ],
    problem: 'Redis at valkey:6379 does not answer: no connection',
  });
  return monitor;
}
