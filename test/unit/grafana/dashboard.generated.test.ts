import { test } from 'vitest';
import { dashboardJson } from '../../../config/grafana/dashboard/dashboard.ts';
import { expectGenerated } from '../../support/generated-file.ts';

test('config/grafana/dashboard.json is made by the code beside it', async () => {
  await expectGenerated('config/grafana/dashboard.json', dashboardJson());
  await expectGenerated('config/helm/cvm-quota-monitor/files/dashboard.json', dashboardJson());
});
