import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'vitest';
import { parse, stringify } from 'yaml';
import { expectGenerated } from '../support/generated-file.ts';

const config = join(import.meta.dirname, '../../config');

test('config/kubernetes/rules/prometheus-rule.yaml holds the rules of config/prometheus', async () => {
  const { groups }: { groups: unknown[] } = parse(
    readFileSync(join(config, 'prometheus/rules.yaml'), 'utf8'),
    { merge: true },
  );

  const rule = {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PrometheusRule',
    metadata: {
      name: 'cvm-quota-monitor',
      labels: { 'app.kubernetes.io/name': 'cvm-quota-monitor' },
    },
    spec: { groups },
  };
  const header = '# Made from config/prometheus by `npm run generate`; do not edit.\n';
  const body = stringify(rule, { aliasDuplicateObjects: false, lineWidth: 100 });
  await expectGenerated('config/kubernetes/rules/prometheus-rule.yaml', header + body);
});
