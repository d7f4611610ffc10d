import { expect, test } from 'vitest';
import { collectors } from '../../../src/collectors/collectors.ts';
import { loadConfig } from '../../../src/config/config.ts';
import { configJsonSchema } from '../../../src/config/schema.ts';
import { expectGenerated } from '../../support/generated-file.ts';

test('config/schema.json is made from the schema that validates the configuration', async () => {
  await expectGenerated('config/schema.json', configJsonSchema(collectors));
});

test('config/example.yaml is a valid configuration', async () => {
  const config = await loadConfig('config/example.yaml', collectors);
  expect(config.accounts[0]?.name).toBe('production');
});
