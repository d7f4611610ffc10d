import { expect, test } from 'vitest';
import { silentObserver } from '../../../src/api/observer.ts';
import { collectors } from '../../../src/collectors/collectors.ts';
import { parseConfig } from '../../../src/config/config.ts';
import { Clients } from '../../../src/daemon/clients.ts';
import { templateTarget } from '../../helpers/fake-monitor.ts';

test('a poll of an account that is not configured rejects, and does not throw', async () => {
  const accounts = [{ name: 'a', credentials: { type: 'none' }, regions: ['ap-x'] }];
  const clients = new Clients(parseConfig(JSON.stringify({ accounts }), 'test', collectors), {
    collectors,
    observer: silentObserver,
    userAgent: 'test',
    clock: { now: () => 0 },
    random: () => 0,
    env: {},
  });
  const context = { signal: new AbortController().signal, deadlineMs: 0 };

  const poll = clients.poll(templateTarget('gone', 'ap-x', 'lt-1'), context);

  await expect(poll).rejects.toThrow('no account is called gone');
});
