import { test } from 'vitest';
import { scenarioJsonSchema } from '../../../src/emulator/scenario/scenario.ts';
import { expectGenerated } from '../../support/generated-file.ts';

test('config/scenario.schema.json is the schema that scenarios are validated with', async () => {
  await expectGenerated('config/scenario.schema.json', JSON.stringify(scenarioJsonSchema()));
});
