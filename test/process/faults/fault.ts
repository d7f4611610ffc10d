import type { FaultRuleInput } from '../../../src/emulator/emulator.ts';
import type { Replacement } from '../../support/gateway.ts';
import { replaceAnswersOfVictim, type World, type WorldOptions } from './world.ts';

/** One row of the catalogue: what goes wrong, and what that looks like in the metrics. */
export interface Fault {
  readonly name: string;
  readonly world?: Partial<WorldOptions>;
  readonly begin: (world: World) => unknown;
  readonly end: (world: World) => unknown;
  /** What it is seen at; by default one region's quotas of one account. */
  readonly targets?: readonly string[];
  /** The `code` of the failed poll; `null` when the poll succeeds nevertheless. */
  readonly code: string | null;
  /** How many requests reached the service for one poll of the victim. */
  readonly requests?: number;
  /** Anomalies of one poll by kind. */
  readonly anomalies?: Readonly<Record<string, number>>;
  /** Which series are absent while it lasts, apart from failures: none as a rule. */
  readonly isGone?: (line: string) => boolean;
}

type Expected = Omit<Fault, 'name' | 'begin' | 'end'>;

/** A fault of the emulator, done to the victim alone. */
export function rule(name: string, effect: FaultRuleInput, expected: Expected): Fault {
  return {
    ...expected,
    name,
    begin: ({ monitor }) =>
      monitor.emulator.faults.add({
        ...effect,
        account: 'production',
        region: 'ap-guangzhou',
        operation: 'DescribeAccountQuota',
      }),
    end: ({ monitor }) => {
      monitor.emulator.faults.clear();
    },
  };
}

/** An error of the service, with the number of requests that its class of code is worth. */
export function serviceError(code: string, requests: number): Fault {
  return rule(`the error ${code}`, { effect: 'error', code }, { code, requests });
}

/** A gateway that replaces the answers about the victim. */
export function gateway(name: string, replacement: Replacement, expected: Expected): Fault {
  return {
    ...expected,
    name,
    world: { behindGateway: true, ...expected.world },
    begin: (world) => {
      replaceAnswersOfVictim(world, replacement);
    },
    end: (world) => {
      if (world.gateway !== null) world.gateway.replacementFor = () => null;
    },
  };
}
