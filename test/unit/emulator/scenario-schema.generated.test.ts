import { expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import type { ScenarioInput } from '../../../src/emulator/emulator.ts';
import { ruleBase } from '../../../src/emulator/faults/fault-rule.ts';
import { quota, zoneQuotas } from '../../../src/emulator/resources/quotas.ts';
import { templateContent, versionContent } from '../../../src/emulator/resources/templates.ts';
import { at, inRegion } from '../../../src/emulator/scenario/actions.ts';
import type { scenarioSchema } from '../../../src/emulator/scenario/schema.ts';
import { scenarioJsonSchema } from '../../../src/emulator/scenario/scenario.ts';
import { expectGenerated } from '../../helpers/generated-file.ts';
import { typescriptOf } from '../../helpers/typescript-of-schema.ts';

test('config/scenario.schema.json is the schema that scenarios are validated with', async () => {
  await expectGenerated('config/scenario.schema.json', JSON.stringify(scenarioJsonSchema()));
});

test('ScenarioInput is the same as a type, with every description', async () => {
  const made = '// Made from the schema by `npm run generate`.\n\n';
  const operation = importOf('OperationName', '../protocol/operation-names.ts');
  const fault = importOf('FaultRuleScenario', '../faults/fault-rule-scenario.ts');
  const data = importOf('VersionData', '../resources/version-data.ts');
  const { $defs, ...whole } = scenarioJsonSchema() as Described;
  const rule = typescriptOf({
    FaultRuleBase: partOf(ruleBase, 'What every fault rule may say, whatever its effect.'),
    FaultRuleScenario: $defs!.FaultRuleScenario,
  });
  const scenario = typescriptOf({
    QuotaInput: partOf(quota.shape, 'The figures of a quota.'),
    ZoneQuotasInput: partOf(zoneQuotas, 'The quotas of a zone; one that is absent has no row.'),
    VersionContentInput: partOf(versionContent, 'What a version says beside its number.'),
    TemplateContentInput: partOf(templateContent, 'What a template says beside its ID.'),
    RegionActionInput: partOf({ ...inRegion, ...at }, 'What each action in a region says.'),
    ScenarioInput: { ...whole, description: 'A scenario as it is written.' },
  });
  const policies = typescriptOf({
    PolicyInput: $defs!.PolicyInput,
    TrustPolicyInput: $defs!.TrustPolicyInput,
  });
  const policy = importOf('PolicyInput, TrustPolicyInput', '../access/policy-input.ts');
  const behaviourType = typescriptOf({ BehaviourInput: $defs!.BehaviourInput });
  const behaviour = importOf('BehaviourInput', './behaviour-input.ts');
  const imports = behaviour + policy + fault + operation + data;

  await expectGenerated(
    'src/emulator/faults/fault-rule-scenario.ts',
    `${made}${operation}\n${rule}`,
  );
  await expectGenerated('src/emulator/access/policy-input.ts', made + policies);
  await expectGenerated('src/emulator/scenario/behaviour-input.ts', made + behaviourType);
  await expectGenerated(
    'src/emulator/scenario/scenario-input.ts',
    `${made}${imports}\n${scenario}`,
  );
  expectTypeOf<Flat<ScenarioInput>>().toEqualTypeOf<Flat<z.input<typeof scenarioSchema>>>();
});

/** The same type without a name and without an intersection, so that two of them can be compared. */
type Flat<T> = T extends object ? { [K in keyof T]: Flat<T[K]> } : T;

function importOf(type: string, file: string): string {
  return `import type { ${type} } from '${file}';\n`;
}

function partOf(shape: z.core.$ZodShape, description: string): unknown {
  return z.toJSONSchema(z.strictObject(shape).describe(description), { io: 'input' });
}

interface Described {
  readonly $defs?: Readonly<Record<string, Described>>;
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

  const schema = scenarioJsonSchema() as Described;
  visit(schema, 'scenario');
  visit(schema.$defs!.FaultRuleScenario, 'fault');
  visit(schema.$defs!.BehaviourInput, 'behaviour');
  visit(schema.$defs!.PolicyInput, 'policy');
  visit(schema.$defs!.TrustPolicyInput, 'trust');

  expect(undescribed).toEqual([]);
});
