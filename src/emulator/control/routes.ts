/** The routes of the control API. */
import { z } from 'zod';
import { duration } from '../../validation/duration.ts';
import { formatPath } from '../../validation/problem.ts';
import { faultRuleSchema } from '../faults/fault-rule.ts';
import { StateError } from '../resources/state-error.ts';
import { actionSchema, type Action } from '../scenario/actions.ts';
import type { Service } from '../service/service.ts';
import { InvalidInputError, validate } from '../input/validate.ts';
import { inScenarioWords } from '../input/words.ts';
import { describeChange, describeRequest, describeTimeline } from './describe-events.ts';
import { describeState } from './describe-state.ts';

export interface ControlCall {
  readonly query: URLSearchParams;
  /** The part of the path at `:id`. Empty for routes without `:id`. */
  readonly id: string;
  /** @throws InvalidInputError when the body is not JSON */
  readonly body: () => unknown;
}

export const controlMethods = ['GET', 'POST', 'DELETE'] as const;

export interface ControlRoute {
  readonly method: (typeof controlMethods)[number];
  /** The path below `/_emulator`, in the syntax of hono. */
  readonly path: string;
  readonly does: string;
  /** @returns the answer, sent as JSON; `null` when the object of the path does not exist */
  readonly run: (call: ControlCall) => object | null;
}

export function controlRoutes(service: Service): readonly ControlRoute[] {
  return [...stateRoutes(service), ...faultRoutes(service), ...requestRoutes(service)];
}

function stateRoutes(service: Service): readonly ControlRoute[] {
  return [
    {
      method: 'GET',
      path: '/state',
      does: 'answers accounts, quotas and templates as of now',
      run: () => ({
        elapsed_seconds: service.elapsedMs / 1000,
        ...describeState(service.state.accounts),
      }),
    },
    {
      method: 'POST',
      path: '/state',
      does: 'applies an action, such as set-used, or a list of actions',
      run: ({ body }) => ({ applied: applyActions(service, actionsOf(body())) }),
    },
    {
      method: 'GET',
      path: '/changes',
      does: 'lists the changes of default versions, versions, limits and zones so far',
      run: () => ({ changes: service.state.changes.list().map(describeChange) }),
    },
    {
      method: 'POST',
      path: '/time',
      does: 'lets time pass at once: {"advance": "20s"}',
      run: ({ body }) => {
        service.advance(validate(advanceSchema, body(), 'body').advance);
        return { elapsed_seconds: service.elapsedMs / 1000 };
      },
    },
    {
      method: 'GET',
      path: '/timeline',
      does: 'answers whether the timeline is paused, and what comes next',
      run: () => describeTimeline(service),
    },
    {
      method: 'POST',
      path: '/timeline',
      does: 'pauses the timeline, applies its next entry, or lets it go on: {"do": "pause"}, "step", "resume"',
      run: ({ body }) => {
        moveTimeline(service, validate(timelineSchema, body(), 'body').do);
        return describeTimeline(service);
      },
    },
    {
      method: 'POST',
      path: '/reset',
      does: 'begins the scenario again',
      run: () => {
        service.reset();
        return { elapsed_seconds: 0 };
      },
    },
  ];
}

function faultRoutes({ faults }: Service): readonly ControlRoute[] {
  return [
    {
      method: 'GET',
      path: '/faults',
      does: 'lists the fault rules in force and how often each has struck',
      run: () => ({ faults: faults.list().map(inScenarioWords) }),
    },
    {
      method: 'POST',
      path: '/faults',
      does: 'adds a fault rule',
      run: ({ body }) => ({ id: faults.addValidated(validate(faultRuleSchema, body(), 'fault')) }),
    },
    {
      method: 'DELETE',
      path: '/faults',
      does: 'clears every fault rule',
      run: () => {
        const cleared = faults.list().length;
        faults.clear();
        return { cleared };
      },
    },
    {
      method: 'DELETE',
      path: '/faults/:id',
      does: 'clears the fault rule of this ID',
      run: ({ id }) => (faults.remove(id) ? { cleared: 1 } : null),
    },
  ];
}

function requestRoutes({ requests }: Service): readonly ControlRoute[] {
  return [
    {
      method: 'GET',
      path: '/requests',
      does: 'lists the requests received, oldest first; ?limit=N for the last N',
      run: ({ query }) => {
        const { limit } = validate(listQuerySchema, Object.fromEntries(query), 'query');
        const latest = requests.list().slice(-limit);
        return { total: requests.total, requests: latest.map(describeRequest) };
      },
    },
    {
      method: 'DELETE',
      path: '/requests',
      does: 'forgets the requests received',
      run: () => {
        const cleared = requests.total;
        requests.clear();
        return { cleared };
      },
    },
  ];
}

const advanceSchema = z.strictObject({ advance: duration() });
const timelineSchema = z.strictObject({ do: z.enum(['pause', 'step', 'resume']) });
const listQuerySchema = z.strictObject({
  limit: z.coerce.number().int().min(1).default(10_000),
});

function moveTimeline(service: Service, move: z.output<typeof timelineSchema>['do']): void {
  switch (move) {
    case 'pause':
      service.pauseTimeline();
      break;
    case 'step':
      service.stepTimeline();
      break;
    case 'resume':
      service.resumeTimeline();
      break;
  }
}

function actionsOf(body: unknown): readonly Action[] {
  return Array.isArray(body)
    ? validate(z.array(actionSchema), body, 'actions')
    : [validate(actionSchema, body, 'action')];
}

/** Applies all actions. When the state does not allow one of them, none is applied. */
function applyActions(service: Service, actions: readonly Action[]): number {
  try {
    service.applyActions(actions);
  } catch (error) {
    if (!(error instanceof StateError)) throw error;
    const place = formatPath(actions.length > 1 ? error.path : error.path.slice(1));
    throw new InvalidInputError('action', [
      place === '' ? error.message : `${place}: ${error.message}`,
    ]);
  }
  return actions.length;
}
