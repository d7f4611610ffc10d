/** Another account behind the same name, by keys that were exchanged: quotas begin a new baseline. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../support/directories.ts';
import { watchService } from '../support/program.ts';
import { startService } from '../support/service.ts';

test.each(['while the daemon runs', 'while it is down'])(
  'Keys that are exchanged for those of another account %s count nothing, and are logged once',
  async (when) => {
    const service = await startService();
    const keys = (name: string) => ({ secretId: `${name}-id`, secretKey: `${name}-key` });
    service.account('first', keys('first')).region('ap-guangzhou');
    // Two of its limits are lower.
    const second = service.account('second', keys('second')).region('ap-guangzhou');
    for (const type of ['postpaid', 'spotpaid'] as const) {
      second.setLimit(type, 'ap-guangzhou-3', 50);
    }
    const directory = await temporaryDirectory();
    const [secret_id_file, secret_key_file] = [join(directory, 'id'), join(directory, 'key')];
    const useKeysOf = async (name: string) => {
      await writeFile(secret_id_file, keys(name).secretId);
      await writeFile(secret_key_file, keys(name).secretKey);
    };
    await useKeysOf('first');
    const credentials = { type: 'files', secret_id_file, secret_key_file };
    const daemon = await watchService(service, { account: { credentials } });
    await daemon.cycle();

    if (when === 'while it is down') await daemon.stop();
    await useKeysOf('second');
    if (daemon.hasExited) daemon.spawn();

    const samples = await daemon.metricsWhen(
      (each) => each.value('cvm_quota_limit', { quota_type: 'postpaid' }) === 50,
    );
    expect(samples.sum('cvm_quota_limit_changes_total')).toBe(0);
    expect(await daemon.feed()).toEqual([]);
    const message = 'another account: the target begins a new baseline';
    const lines = daemon.log.filter(({ msg }) => msg === message);
    expect(lines.map((line) => [line.operation, line.old_app_id, line.new_app_id])).toEqual([
      ['DescribeAccountQuota', 1_250_000_002, 1_250_000_003],
    ]);
  },
);
