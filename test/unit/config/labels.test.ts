import { expect, test } from 'vitest';
import { collectors } from '../../../src/collectors/collectors.ts';
import { reservedLabels } from '../../../src/config/labels-schema.ts';
import { generatedParts } from '../../support/docs/reference.ts';

test('labels of scaling groups, disks and placement groups, of Prometheus, its targets and its alerts are refused', () => {
  const reserved = reservedLabels(collectors);
  const names = [
    ...['scaling_group_id', 'scaling_group_name', 'launch_configuration_id', 'code', 'outcome'],
    ...['foretold', 'placement_group_id', 'disk_type', 'disk_usage', 'instance_family', 'part'],
    ...['cluster', 'namespace', 'shard', 'service', 'container', 'endpoint', 'pod', 'instance'],
    ...['job', 'change', 'severity', 'reason', 'alertname', 'le', 'quantile'],
  ];

  expect(names.filter((name) => !reserved.has(name))).toEqual([]);
  expect(['team', 'env', 'site'].filter((name) => reserved.has(name))).toEqual([]);
});

test('every label of the metrics is refused', async () => {
  const tables = [...(await generatedParts())].filter(([name]) => name.startsWith('metrics of'));
  const labels = tables.flatMap(([, table]) =>
    table
      .split('\n')
      .slice(2)
      .flatMap((row) => row.split('|')[3]!.trim().split(', ')),
  );

  const own = new Set(labels.filter((label) => label !== ''));
  expect(own.size).toBeGreaterThan(10);
  const reserved = reservedLabels(collectors);
  expect([...own].filter((label) => !reserved.has(label))).toEqual([]);
});
