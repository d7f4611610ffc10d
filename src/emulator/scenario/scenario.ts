/** The scenario: what the emulator begins with, and what happens then. */
import { z } from 'zod';
import { duration } from '../../validated-yaml/duration.ts';
import { readYamlFile } from '../../validated-yaml/read.ts';
import { createManualClock } from '../shared/clock.ts';
import { faultRuleSchema } from '../faults/fault-rule.ts';
import { EmulatorState } from '../resources/emulator-state.ts';
import { StateError, within } from '../resources/state-error.ts';
import { Timeline } from './timeline.ts';
import { validate } from '../shared/validate.ts';
import { applyAction, timelineEntrySchema } from './actions.ts';
import { behaviourSchema } from './behaviour.ts';
import { accountSchema } from '../resources/schema.ts';

const scenarioShape = z.strictObject({
  requests_per_second: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(20)
    .describe('per operation and account; more are answered with RequestLimitExceeded'),
  behaviour: behaviourSchema
    .prefault({})
    .describe('what the emulator does where the behaviour of the service is not published'),
  accounts: z.array(accountSchema).min(1, { error: 'a scenario has at least one account' }),
  timeline: z
    .array(timelineEntrySchema)
    .default([])
    .describe('what happens to the state, and when'),
  timeline_repeats_every: duration({ min: '1s' })
    .optional()
    .describe('after this long the timeline begins again; the state stays as it is'),
  faults: z.array(faultRuleSchema).default([]),
});

/** Every reference is checked by playing the timeline once, and again where it repeats. */
const scenarioSchema = scenarioShape.superRefine((scenario, context) => {
  // Also called for values that are not what they should be, of which a duration could play for ever.
  if (context.issues.length > 0) return;
  for (const { path, message } of rehearse(scenario)) {
    context.addIssue({ code: 'custom', path: [...path], message });
  }
});

export type Scenario = z.output<typeof scenarioSchema>;
/** A scenario as it is written; durations are texts such as `20s`. */
export type ScenarioInput = z.input<typeof scenarioSchema>;

/** @throws InvalidFileError with every problem of the file */
export function readScenario(file: string): Promise<Scenario> {
  return readYamlFile(file, scenarioSchema);
}

/** @throws InvalidInputError with everything that is wrong */
export function validateScenario(input: ScenarioInput): Scenario {
  return validate(scenarioSchema, input, 'scenario');
}

/** The JSON schema of scenario files, for editors. */
export function scenarioJsonSchema(): unknown {
  return z.toJSONSchema(scenarioShape, { io: 'input' });
}

function rehearse(scenario: z.output<typeof scenarioShape>): StateError[] {
  const errors: StateError[] = [];
  const attempt = (work: () => void) => {
    try {
      work();
    } catch (error) {
      if (!(error instanceof StateError)) throw error;
      errors.push(error);
    }
  };
  const { timeline: entries, timeline_repeats_every: repeatsEveryMs = null } = scenario;
  const state = new EmulatorState(createManualClock());
  attempt(() => {
    state.load(scenario.accounts);
  });
  if (errors.length > 0) return errors;

  const lastMs = Math.max(0, ...entries.map((entry) => entry.at));
  if (repeatsEveryMs !== null && repeatsEveryMs <= lastMs) {
    return [new StateError(['timeline_repeats_every'], 'must be after the last entry')];
  }
  const apply = (entry: (typeof entries)[number], atMs: number) => {
    attempt(() => {
      within(['timeline', entries.indexOf(entry)], () => {
        applyAction(state, entry, atMs);
      });
    });
  };
  new Timeline({ entries, repeatsEveryMs, apply }).applyDue((repeatsEveryMs ?? 0) + lastMs);
  return errors;
}
