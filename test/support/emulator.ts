/**
 * The emulator in the process of a test, with quotas of which enough remains.
 *
 *     const emulator = await emulateRegions('ap-guangzhou');   // one account, `production`, that needs no key
 *     emulator.do(setLimit('image', 11));                      // any action of docs/emulator.md
 *     emulator.faults.add({ effect: 'hang', region: 'ap-guangzhou' });
 *     emulator.faults.clear();
 *     asked(emulator, { operation: 'DescribeRegions' });       // requests that were received
 */
import { onTestFinished } from 'vitest';
import {
  startEmulator,
  type ActionInput,
  type Emulator,
  type ReceivedRequest,
  type RunningEmulator,
  type ScenarioInput,
} from '../../src/emulator/emulator.ts';
import { ask } from './ask.ts';

type AccountInput = ScenarioInput['accounts'][number];
export type RegionInput = NonNullable<AccountInput['regions']>[number];

/** Starts an emulator, by default with the official samples. It ends with the test. */
export async function emulate(
  options: Parameters<typeof startEmulator>[0] = {},
): Promise<RunningEmulator> {
  const emulator = await startEmulator(options);
  onTestFinished(emulator.close);
  return emulator;
}

/** Settings of a scenario for tests in which the emulator refuses no request as too frequent. */
export const unlimited = { requests_per_second: 1_000_000 };

/** Starts an emulator with one account that needs no key. Further settings of the scenario may come last. */
export function emulateRegions(
  ...regions: readonly (string | RegionInput)[]
): Promise<RunningEmulator> {
  return emulateAccounts([accountWith('production', regions)]);
}

export function emulateAccounts(
  accounts: AccountInput[],
  settings: Omit<ScenarioInput, 'accounts'> = {},
): Promise<RunningEmulator> {
  return emulate({ scenario: { ...settings, accounts } });
}

/** @param more such as `keys: [key('id', 'key')]`; without a key, requests need no signature */
export function accountWith(
  name: string,
  regions: readonly (string | RegionInput)[],
  more: Partial<AccountInput> = {},
): AccountInput {
  const all = regions.map((each) => (typeof each === 'string' ? regionOf(each) : each));
  return { name, app_id: 1_250_000_001, regions: all, ...more };
}

export const key = (secret_id: string, secret_key: string, token?: string) => ({
  secret_id,
  secret_key,
  ...(token !== undefined && { token }),
});

/** The quotas of a zone. */
const zonal = {
  postpaid: { used: 40, limit: 200 },
  prepaid: { used: 10, limit: 100, once_limit: 300 },
  spotpaid: { used: 60, limit: 240 },
};

/** A region with quotas of each type, by default with one zone. */
export function regionOf(
  name: string,
  more: Omit<RegionInput, 'name' | 'zones'> = {},
  zones: readonly string[] = [`${name}-3`],
): RegionInput {
  return {
    name,
    zones: zones.map((zone) => ({ name: zone, ...zonal })),
    image: { used: 4, limit: 10 },
    disaster_recover_group: { used: 3, limit: 10 },
    ...more,
  };
}

/** Versions that each name an image of their own. */
const versionsOf = (...numbers: readonly number[]) =>
  numbers.map((version) => ({ version, data: dataOf(version) }));

const dataOf = (version: number) => ({
  ImageId: `img-${String(version).padStart(8, '0')}`,
  InstanceType: 'S5.LARGE8',
  InstanceChargeType: 'POSTPAID_BY_HOUR',
  UserData: 'IyEvYmluL3NoCg==',
});

/** The fields of a template in a scenario and of `create-template`. */
export const templateWith = (default_version: number, ...numbers: readonly number[]) => ({
  default_version,
  versions: versionsOf(...numbers),
});

type QuotaType = Extract<ActionInput, { do: 'set-limit' }>['quota_type'];

/** @param zone of a quota of a zone; by default the zone of {@link regionOf} */
function quota(quota_type: QuotaType, region: string, zone: string) {
  return { region, quota_type, ...(quota_type in zonal && { zone }) };
}

export const setLimit = (
  type: QuotaType,
  limit: number,
  region = 'ap-guangzhou',
  zone = `${region}-3`,
) => ({ do: 'set-limit' as const, ...quota(type, region, zone), limit });

export const setUsed = (
  type: QuotaType,
  used: number,
  region = 'ap-guangzhou',
  zone = `${region}-3`,
) => ({ do: 'set-used' as const, ...quota(type, region, zone), used });

/** The kept requests that have these values, the oldest first. */
export function asked(
  { requests }: Emulator,
  match: Partial<ReceivedRequest> = {},
): ReceivedRequest[] {
  const wanted = Object.entries(match) as [keyof ReceivedRequest, unknown][];
  return requests.list().filter((each) => wanted.every(([name, value]) => each[name] === value));
}

/** A fault: the bytes of an answer with status 200. */
export const answerWith = (body: string) =>
  ({ effect: 'http-status', status: 200, content_type: 'application/json', body }) as const;

/**
 * Lets the emulator answer an operation with the answer that it has now, after a change.
 *
 * @param query the request whose answer is changed. Its operation and region get the changed one
 */
export function changeAnswer(
  emulator: Emulator,
  query: Readonly<{ Action: string; Region?: string }>,
  // oxlint-disable-next-line typescript/no-explicit-any
  change: (response: any) => void,
): void {
  const { response } = ask(emulator, { Version: '2017-03-12', ...query });
  change(response);
  emulator.faults.add({
    ...answerWith(JSON.stringify({ Response: response })),
    operation: query.Action as 'DescribeAccountQuota',
    region: query.Region,
  });
}
