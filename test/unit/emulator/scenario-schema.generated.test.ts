import { test } from 'vitest';
import { z } from 'zod';
import { scenarioSchema } from '../../../src/emulator/scenario/scenario.ts';
import { expectGenerated } from '../../support/generated-file.ts';

test('config/scenario.schema.json is the schema that scenarios are validated with', async () => {
  const schema = z.toJSONSchema(scenarioSchema, { io: 'input' });
  await expectGenerated('config/scenario.schema.json', JSON.stringify(schema));
});
