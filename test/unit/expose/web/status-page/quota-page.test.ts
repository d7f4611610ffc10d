import { describe, expect, test } from 'vitest';
import { FakeMonitor, quota, quotas, quotaTarget } from '../../../../helpers/fake-monitor.ts';
import { smallFleet } from '../../../../helpers/fleet.ts';
import { override } from '../../../../helpers/thresholds.ts';

const textOf = (markup: string) =>
  markup
    .replaceAll(/<(style|script)>.*?<\/\1>/gs, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ');

const spot =
  '/quota?account=production&region=ap-guangzhou&quota_type=spotpaid&zone=ap-guangzhou-4';

describe('the page of a quota', () => {
  test('shows its numbers, its severity and its trend', async () => {
    const page = await smallFleet().text(spot);

    expect(page).toMatch(/<title>low spotpaid ap-guangzhou-4 production · /);
    const text = textOf(page);
    expect(text).toContain(
      'Left 17 % Remaining 34 vcpus Used 165 Limit 199 Thresholds 40 low 20 critical',
    );
    expect(text).toContain('+48 in 24 h full in about 6 h');
    expect(page).toContain('from 117 to 165, lowest 117, highest 165"');
  });

  test('shows the changes of its limit and no others', async () => {
    const monitor = smallFleet();
    const place =
      '/quota?account=production&region=ap-guangzhou&quota_type=postpaid&zone=ap-guangzhou';

    expect(textOf(await monitor.text(`${place}-4`))).toContain(
      'postpaid limit raised from 1000 to 1250 in ap-guangzhou-4, 1 h 2 min ago',
    );
    expect(textOf(await monitor.text(`${place}-3`))).toContain('Its limit has not changed');
  });

  test('draws its thresholds, links to where it is handled, and says that it is muted', async () => {
    const monitor = smallFleet();
    monitor.links = { grafana: 'https://g/?zone={zone}', runbooks: 'https://x/' };

    const page = await monitor.text(spot);
    monitor.thresholds = { ...monitor.thresholds, overrides: [override({}, null)] };
    const muted = await monitor.text(spot);

    expect(page).toContain('<path class="warning" d="');
    expect(page).toContain('<path class="critical" d="');
    expect(page).toContain('href="https://g/?zone=ap-guangzhou-4">Dashboard</a>');
    expect(page).toContain('href="https://x/CvmQuotaLow.md">Runbook</a>');
    expect(textOf(muted)).toContain('muted');
    expect(muted).not.toContain('Thresholds');
    expect(muted).not.toContain('<path class="warning"');
  });

  test('says why its numbers are old', async () => {
    const page = await smallFleet().text(
      '/quota?account=staging&region=ap-tokyo&quota_type=postpaid&zone=ap-tokyo-1',
    );

    const text = textOf(page);
    expect(text).toContain('stale');
    expect(text).toContain('Last known 1 h 35 min ago');
    expect(text).toContain('AuthFailure. SecretIdNotFound');
    expect(text).toContain('Left – ');
    expect(page).not.toContain('class="fill"');
  });

  test('says what its last answer lacked', async () => {
    const target = quotaTarget('production', 'ap-guangzhou');
    const monitor = new FakeMonitor(target);
    const image = quota({ type: 'image', used: 1, limit: 10, zone: null });
    monitor.poll(target, { ...quotas(image), missing: ['PostPaidQuotaSet[2]: no name'] });

    const text = textOf(
      await monitor.text('/quota?account=production&region=ap-guangzhou&quota_type=image&zone='),
    );

    expect(text).toContain('incomplete');
    expect(text).toContain('Not in the last answer: PostPaidQuotaSet[2]: no name');
  });

  test('keeps its address when it loads itself again, and the chosen time', async () => {
    const response = await smallFleet().get(`${spot}&time=local`);

    expect(response.headers.get('Refresh')).toBe(`60; url=${spot.slice(1)}&time=local`);
    const page = await response.text();
    expect(page).toContain('href="./?time=local">All quotas</a>');
    expect(page).toContain(`href="${spot.slice(1).replaceAll('&', '&amp;')}"`);
  });

  test('stands still when it is paused', async () => {
    const response = await smallFleet().get(`${spot}&refresh=off`);

    expect(response.headers.get('Refresh')).toBeNull();
    expect(await response.text()).toContain('Refresh by itself');
  });

  test.each([
    '/quota',
    '/quota?account=production',
    spot.replace('-4', '-9'),
    spot.replace('spotpaid', 'image'),
    spot.replace('production', 'staging'),
    spot.replace('region=ap-guangzhou', 'region=ap-shanghai'),
  ])('is 404 for a quota that is not known: %s', async (path) => {
    const response = await smallFleet().get(path);

    expect(response.status).toBe(404);
    expect(await response.text()).toContain('<a href="./">All quotas</a>');
    expect(response.headers.get('Content-Security-Policy')).toContain("default-src 'none'");
  });
});
