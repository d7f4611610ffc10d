// Made from the schema by `npm run generate`.

import type { OperationName } from '../protocol/operation-names.ts';

/** What every fault rule may say, whatever its effect. */
export interface FaultRuleBase {
  /** under which the rule can be cleared; given by the emulator when absent */
  id?: string | undefined;
  /** every operation when absent */
  operation?: OperationName | undefined;
  /** every account when absent */
  account?: string | undefined;
  /** every region when absent */
  region?: string | undefined;
  /** how likely it strikes a request */
  probability?: number | undefined;
  /** how often it strikes; without end when absent */
  count?: number | undefined;
  /** since the start of the scenario */
  from?: string | undefined;
  /** since the start of the scenario */
  until?: string | undefined;
  /** whether `from` and `until` count from the start of each round of the timeline */
  repeats?: boolean | undefined;
  /** how long the answer is held back: a duration, or min and max of a random one */
  latency?:
    | string
    | {
        /** the least */
        min: string;
        /** the most */
        max: string;
      }
    | undefined;
}

/** As written in a scenario or sent to the control API; durations are texts. */
export type FaultRuleScenario =
  | (FaultRuleBase & {
      /** the answer, later */
      effect: 'latency';
    })
  | (FaultRuleBase & {
      /** the envelope of an error */
      effect: 'error';
      /** the code of the error, whether the service has it or not */
      code: string;
      /** the text of the code when absent */
      message?: string | undefined;
    })
  | (FaultRuleBase & {
      /** another HTTP status, as of a gateway */
      effect: 'http-status';
      /** the HTTP status */
      status: number;
      /** an HTML page when absent */
      body?: string | undefined;
      /** the type of the body */
      content_type?: string | undefined;
      /** further headers, such as Retry-After */
      headers?: Record<string, string> | undefined;
    })
  | (FaultRuleBase & {
      /** the connection is reset without an answer */
      effect: 'connection-reset';
    })
  | (FaultRuleBase & {
      /** never answers */
      effect: 'hang';
    })
  | (FaultRuleBase & {
      /** half of the answer, then the end */
      effect: 'truncated-body';
    })
  | (FaultRuleBase & {
      /** the answer, a little at a time */
      effect: 'slow-body';
      /** how long the body takes */
      duration?: string | undefined;
    })
  | (FaultRuleBase & {
      /** no JSON */
      effect: 'garbage';
    })
  | (FaultRuleBase & {
      /** the answer with the type of every value wrong */
      effect: 'wrong-types';
    })
  | (FaultRuleBase & {
      /** a small body that unpacks to a huge one */
      effect: 'gzip-bomb';
      /** what it unpacks to */
      size_bytes?: number | undefined;
    })
  | (FaultRuleBase & {
      /** a huge body */
      effect: 'huge-body';
      /** how large it is */
      size_bytes?: number | undefined;
    });
