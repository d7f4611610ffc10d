/** The status page: what a person on call reads first. Words, not their places. */
import { expect, test } from 'vitest';
import { startWatched, watchService } from '../../support/program.ts';
import { startService } from '../../support/service.ts';

/** The text of a page, without markup, style and scripts. */
function wordsOf(html: string): string {
  return html
    .replaceAll(/<(style|script|svg)\b.*?<\/\1>/gs, ' ')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ');
}

test('The page names what is critical, low and failing, with code and request', async () => {
  const service = await startService();
  const region = service.region('ap-guangzhou');
  service.region('ap-shanghai');
  region.createTemplate('lt-b8v1kcyq', { versions: [1, 7], default: 7 });
  region.setUsed('postpaid', 'ap-guangzhou-3', 195);
  region.setUsed('image', null, 9);
  service.fault({ region: 'ap-shanghai', error: 'UnauthorizedOperation' });
  const daemon = await watchService(service, {
    regions: [{ name: 'ap-guangzhou', launch_templates: 'all' }, 'ap-shanghai'],
  });

  const response = await daemon.get('/');
  const words = wordsOf(await response.text());

  expect(response.headers.get('content-type')).toContain('text/html');
  expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  for (const each of ['critical', 'low', 'ap-guangzhou-3', 'lt-b8v1kcyq']) {
    expect(words).toContain(each);
  }
  expect(words).toContain('UnauthorizedOperation');
  expect(words).toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-/);
  expect(words).not.toContain('IyEvYmluL3NoCg');
});

test('Text of the service is shown as text', async () => {
  const service = await startService();
  const region = service.region('ap-guangzhou');
  const name = '<script>alert("here")</script>';
  region.createTemplate('lt-b8v1kcyq', { versions: [1], default: 1, name });
  const daemon = await watchService(service, {
    regions: [{ name: 'ap-guangzhou', launch_templates: 'all' }],
  });

  expect(await daemon.text('/')).not.toContain('<script>alert');
});

test('A page of another site cannot reload', async () => {
  const { daemon } = await startWatched();
  const headers = { Origin: 'https://elsewhere.example' };

  expect((await daemon.get('/-/reload', { method: 'POST', headers })).status).toBe(403);
  expect((await daemon.get('/-/reload', { method: 'POST' })).status).toBe(200);
});
