import { expect, test } from 'vitest';
import { collectors } from '../../../src/collectors/collectors.ts';
import { reservedLabels } from '../../../src/config/labels-schema.ts';
import { generatedParts } from '../../support/docs/reference.ts';

test('every label of the metrics is refused', async () => {
  const tables = [...(await generatedParts())].filter(([name]) => name.startsWith('metrics of'));
  const labels = tables.flatMap(([, table]) =>
    table
      .split('\n')
      .slice(2)
      .flatMap((row) => row.split('|')[3]!.trim().split(', ')),
  );

  // The labels that the configuration gives to an account are `…` in the tables.
  const own = new Set(labels.filter((label) => label !== '' && label !== '…'));
  expect(own.size).toBeGreaterThan(10);
  const reserved = reservedLabels(collectors);
  expect([...own].filter((label) => !reserved.has(label))).toEqual([]);
});
