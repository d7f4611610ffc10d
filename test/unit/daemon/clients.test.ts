import { expect, onTestFinished, test, vi } from 'vitest';
import { silentObserver } from '../../../src/api/observer.ts';
import { collectors } from '../../../src/collectors/collectors.ts';
import { parseConfig } from '../../../src/config/config.ts';
import { planTargets } from '../../../src/config/targets.ts';
import { Clients } from '../../../src/daemon/clients.ts';
import { BoundedCalls } from '../../../src/files/bounded-calls.ts';
import { templateTarget } from '../../helpers/fake-monitor.ts';
import { answerFields, startStubService } from '../../helpers/stub-service.ts';

function clientsOf(input: object) {
  const config = parseConfig(JSON.stringify(input), 'test', collectors);
  const clients = new Clients(config, {
    collectors,
    observer: silentObserver,
    userAgent: 'test',
    clock: { now: () => 0 },
    random: () => 0,
    env: {},
    fileCalls: new BoundedCalls(),
  });
  return { clients, config };
}

const newContext = () => ({ signal: new AbortController().signal, deadlineMs: 0 });

test('a poll of an account that is not configured rejects, and does not throw', async () => {
  const accounts = [{ name: 'a', credentials: { type: 'none' }, regions: ['ap-x'] }];
  const { clients } = clientsOf({ accounts });

  const poll = clients.poll(templateTarget('gone', 'ap-x', 'lt-1'), newContext());

  await expect(poll).rejects.toThrow('no account is called gone');
});

test('polls that begin together use the connections of those before them', async () => {
  const stub = await startStubService((_request, response) => {
    answerFields(response, { AccountQuotaOverview: { AccountQuota: {} } });
  });
  onTestFinished(stub.close);
  const regions = Array.from({ length: 10 }, (_, i) => `ap-${i}`);
  const accounts = Array.from({ length: 30 }, (_, i) => `account-${i}`);
  const { clients, config } = clientsOf({
    api: { endpoint: stub.url },
    accounts: accounts.map((name) => ({ name, credentials: { type: 'none' }, regions })),
  });
  onTestFinished(() => {
    clients.close();
  });
  const targets = planTargets(config, collectors);
  // The event loop gets a turn after each poll that begins, on a fast machine too.
  let nowMs = 0;
  const now = vi.spyOn(performance, 'now').mockImplementation(() => (nowMs += 1));
  onTestFinished(() => {
    now.mockRestore();
  });

  await Promise.all(targets.map((target) => clients.poll(target, newContext())));

  expect(stub.requests).toHaveLength(300);
  expect(stub.connections()).toBeLessThan(100);
});
