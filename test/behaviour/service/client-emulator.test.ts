/** The client against the emulator: two readings of one specification, written apart. */
import { expect, it, onTestFinished } from 'vitest';
import type { QuotaSnapshot, QuotaSelection } from '../../../src/collectors/quota/answer.ts';
import type { ScenarioInput } from '../../../src/emulator/emulator.ts';
import {
  fixedCredentials,
  observedClient,
  recognisable,
  unbounded,
} from '../../support/api-client.ts';
import { emulate } from '../../support/emulator.ts';
import { quotaTarget, templateTarget } from '../../support/fake-monitor.ts';

type Behaviour = NonNullable<ScenarioInput['behaviour']>;

/** @param region what the emulator has in the only region */
async function arrange(region: object, behaviour: Behaviour) {
  const { secretId, secretKey, token } = recognisable;
  const keys = [{ secret_id: secretId, secret_key: secretKey, token }];
  const regions = [{ name: 'ap-guangzhou', ...region }];
  const scenario = { accounts: [{ name: 'production', keys, regions }], behaviour };
  const emulator = await emulate({ scenario });
  const client = observedClient(emulator.url, { credentials: fixedCredentials() });
  onTestFinished(client.close);
  return client;
}

const behaviours: Behaviour[] = [
  { unselected_quota_sets: 'empty', version_order: 'newest-first', total_count: 'selected' },
  { unselected_quota_sets: 'absent', version_order: 'oldest-first', total_count: 'all' },
  { unselected_quota_sets: 'null', version_range: 'exclusive' },
  { zone_filter_keeps_regional_sets: false },
];

it.each(behaviours)(
  'whatever the service does where its behaviour is not published every version is read: %j',
  async (behaviour) => {
    const versions = Array.from({ length: 130 }, (_, index) => index * 3 + 1);
    const template = { id: 'lt-b8v1kcyq', default_version: 388, versions };
    const client = await arrange({ launch_templates: [template] }, behaviour);

    const answer = await client.poll(templateTarget(), unbounded());

    expect(answer).toMatchObject({
      snapshot: { versions, defaultVersion: { version: 388 } },
      anomalies: [],
    });
  },
);

it.each(behaviours)(
  'whatever the service does where its behaviour is not published exactly what is selected is read: %j',
  async (behaviour) => {
    const sets = {
      postpaid: { used: 2, limit: 10 },
      prepaid: { used: 3, limit: 20, once_limit: 30 },
      spotpaid: { used: 4, limit: 40 },
    };
    const region = {
      zones: ['ap-guangzhou-3', 'ap-guangzhou-4'].map((name) => ({ name, ...sets })),
      image: { used: 1, limit: 10 },
      disaster_recover_group: { used: 2, limit: 5 },
    };
    const client = await arrange(region, behaviour);
    const zones = ['ap-guangzhou-4'];
    const selections: QuotaSelection[] = [
      { quotaTypes: ['postpaid', 'spotpaid'], zones },
      { quotaTypes: ['postpaid', 'disaster_recover_group'], zones },
      { quotaTypes: ['image'], zones: null },
    ];

    const answers = await Promise.all(
      selections.map((selection) =>
        client.poll(quotaTarget('production', 'ap-guangzhou', selection), unbounded()),
      ),
    );

    const keys = answers.map(({ snapshot }) =>
      (snapshot as QuotaSnapshot).quotas.map(({ type, zone }) => [type, zone]),
    );
    expect(keys).toEqual([
      [
        ['postpaid', 'ap-guangzhou-4'],
        ['spotpaid', 'ap-guangzhou-4'],
      ],
      [
        ['postpaid', 'ap-guangzhou-4'],
        ['disaster_recover_group', null],
      ],
      [['image', null]],
    ]);
  },
);
