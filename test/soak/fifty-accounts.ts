/** Fifty accounts of a soak test, each watched with a role of its own, which the key of a further account assumes. */
import { startMonitor } from '../support/monitor.ts';
import { trust } from '../support/trust.ts';

export const numbers = Array.from({ length: 50 }, (_, i) => i);
/** The account of the key. */
const ownerUin = (i: number) => String(100_000_000_000 + i);
/** The account that is watched. */
export const memberUin = (i: number) => String(200_000_000_000 + i);
/** A region that only one account has. */
export const regionOf = (i: number) => `ap-member-${i}`;

/**
 * Starts an emulator with these accounts, and a daemon that watches them.
 *
 * @param api keys of the configuration, which a reload reads again
 * @returns with the environment, in which a test can replace the keys `ID_0`, `KEY_0`, … by `rotated-id-0`, …
 */
export async function watchFiftyAccounts(api = { timeout: '10s' }) {
  const env = Object.fromEntries(
    numbers.flatMap((i) => [
      [`ID_${i}`, `id-${i}`],
      [`KEY_${i}`, `key-${i}`],
    ]),
  );
  const monitor = await startMonitor({
    scenario: {
      accounts: numbers.flatMap((i) => [
        {
          name: `owner-${i}`,
          uin: ownerUin(i),
          keys: [
            { secret_id: `id-${i}`, secret_key: `key-${i}` },
            { secret_id: `rotated-id-${i}`, secret_key: `rotated-key-${i}` },
          ],
        },
        {
          name: `member-${i}`,
          uin: memberUin(i),
          roles: [{ name: 'monitor', trust: trust({ qcs: `qcs::cam::uin/${ownerUin(i)}:root` }) }],
          regions: [{ name: regionOf(i), image: { limit: i + 1 } }],
        },
      ]),
    },
    env,
    config: ({ endpoint }) => ({
      api: { endpoint, sts_endpoint: endpoint, ...api },
      accounts: numbers.map((i) => ({
        name: `account-${i}`,
        credentials: {
          type: 'assume_role' as const,
          role_arn: `qcs::cam::uin/${memberUin(i)}:roleName/monitor`,
          source: {
            type: 'environment' as const,
            secret_id_env: `ID_${i}`,
            secret_key_env: `KEY_${i}`,
          },
        },
        quota_types: ['image'],
        regions: [regionOf(i)],
      })),
    }),
  });
  return { monitor, env };
}
