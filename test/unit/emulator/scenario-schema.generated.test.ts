import { expect, expectTypeOf, test } from 'vitest';
import type { z } from 'zod';
import type { ScenarioInput } from '../../../src/emulator/emulator.ts';
import type { scenarioSchema } from '../../../src/emulator/scenario/schema.ts';
import { scenarioJsonSchema } from '../../../src/emulator/scenario/scenario.ts';
import { expectGenerated } from '../../helpers/generated-file.ts';
import { typescriptOf } from '../../helpers/typescript-of-schema.ts';

test('config/scenario.schema.json is the schema that scenarios are validated with', async () => {
  await expectGenerated('config/scenario.schema.json', JSON.stringify(scenarioJsonSchema()));
});

test('ScenarioInput is the same as a type, with every description', async () => {
  const head = '/** A scenario as it is written. Made from the schema by `npm run generate`. */\n';
  const type = typescriptOf('ScenarioInput', scenarioJsonSchema());

  await expectGenerated('src/emulator/scenario/scenario-input.ts', head + type);
  expectTypeOf<z.input<typeof scenarioSchema>>().toExtend<ScenarioInput>();
  expectTypeOf<ScenarioInput>().toExtend<z.input<typeof scenarioSchema>>();
});

interface Described {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Described>>;
  readonly items?: Described;
  readonly anyOf?: readonly Described[];
  readonly oneOf?: readonly Described[];
}

test('every field of a scenario is described, for editors', () => {
  const undescribed: string[] = [];
  const visit = (node: Described | undefined, path: string): void => {
    if (node === undefined) return;
    for (const [name, field] of Object.entries(node.properties ?? {})) {
      if (field.description === undefined) undescribed.push(`${path}.${name}`);
      visit(field, `${path}.${name}`);
    }
    for (const inner of [node.items, ...(node.anyOf ?? []), ...(node.oneOf ?? [])]) {
      visit(inner, path);
    }
  };

  visit(scenarioJsonSchema() as Described, 'scenario');

  expect(undescribed).toEqual([]);
});
