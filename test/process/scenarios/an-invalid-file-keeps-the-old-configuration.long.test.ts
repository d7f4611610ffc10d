/** A mistake in the file is named with line and column, and the daemon goes on as before. */
import { expect, test } from 'vitest';
import { emulateRegions, setLimit } from '../../support/emulator.ts';
import { configOf, startDaemon } from '../../support/program.ts';

const successful = 'cvm_monitor_config_last_reload_successful';
const refused = 'configuration not reloaded; the one before stays in force';
const mistakes = `poll:
  schedule: '61 * * * *'
accounts:
  - name: production
    regions:
      - name: ap-guangzhou
        zones: [ap-shanghai-4]
`;

test('A reload of a file with mistakes names each with line and column, and keeps the old one', async () => {
  const emulator = await emulateRegions('ap-guangzhou');
  const config = configOf(emulator, {});
  const daemon = await startDaemon({ config });

  await daemon.configure(mistakes);
  const answer = await daemon.get('/-/reload', { method: 'POST' });
  const text = await answer.text();

  expect(answer.status).toBe(500);
  expect(text).toContain('config.yaml:2:13: poll.schedule');
  expect(text).toContain('config.yaml:7:17: accounts[0].regions[0].zones[0]');
  await daemon.logged(refused, ({ level }) => level === 'error');
  await daemon.metricsWhen((each) => each.value(successful) === 0);
  expect((await daemon.get('/-/ready')).status).toBe(200);
  emulator.do(setLimit('image', 20));
  expect((await daemon.cycle()).value('cvm_quota_limit', { quota_type: 'image' })).toBe(20);

  expect(await daemon.reload(config)).toBe(200);
  await daemon.metricsWhen((each) => each.value(successful) === 1);
});
