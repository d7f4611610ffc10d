/** The schema of a scenario file. */
import { z } from 'zod';
import { duration } from '../../validation/duration.ts';
import { faultRuleSchema } from '../faults/fault-rule.ts';
import { inCode } from '../input/words.ts';
import { accountSchema } from '../resources/accounts.ts';
import { keyedBy } from '../resources/schema.ts';
import { timelineEntrySchema } from './actions.ts';
import { behaviourSchema } from './behaviour.ts';

export const scenarioSchema = inCode(
  z.strictObject({
    requests_per_second: z
      .int()
      .min(1)
      .max(1_000_000)
      .default(20)
      .describe('per operation and account; more are answered with RequestLimitExceeded'),
    behaviour: behaviourSchema
      .prefault({})
      .describe('what the emulator does where the behaviour of the service is not published'),
    requests_per_connection: z
      .int()
      .min(1)
      .optional()
      .describe('after so many a connection is closed; without end when absent'),
    idle_connection: duration({ min: '100ms', max: '1h' })
      .prefault('5s')
      .describe('how long a connection is kept open between two requests'),
    accounts: z
      .array(accountSchema)
      .min(1, { error: 'a scenario has at least one account' })
      .transform(keyedBy(({ name }) => name))
      .describe('the accounts; at most one has no keys'),
    machine: inCode(
      z.strictObject({
        account: z.string().optional().describe('the account of the role; the first when absent'),
        role: z.string().min(1).describe('the role that is bound to the machine'),
        session: duration({ min: '1s', max: '12h' })
          .prefault('2h')
          .describe('how long each set of temporary keys is valid'),
      }),
    )
      .optional()
      .describe('what the metadata service answers; no role is bound when absent'),
    timeline: z
      .array(timelineEntrySchema)
      .default([])
      .describe('what happens to the state, and when'),
    timeline_repeats_every: duration({ min: '1s' })
      .optional()
      .describe('after this long the timeline begins again; the state stays as it is'),
    faults: z.array(faultRuleSchema).default([]).describe('what goes wrong, when, and for whom'),
  }),
);

export type Scenario = z.output<typeof scenarioSchema>;
