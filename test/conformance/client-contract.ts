/**
 * What every client must get from the emulator: the contract suite that the official SDK and this
 * project's own client both pass.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startEmulator, type RunningEmulator } from '../../src/emulator/emulator.ts';
import { contractKey, contractScenario, contractTemplate } from './contract-scenario.ts';

/** How a client fails: with what the service said. */
export interface ClientFailure {
  readonly code: string;
  readonly requestId: string;
}

export type ClientResult =
  | { readonly ok: true; readonly response: Readonly<Record<string, unknown>> }
  | ({ readonly ok: false } & ClientFailure);

export interface ClientConnection {
  /** The emulator's URL, without a slash at its end. */
  readonly url: string;
  readonly region: string;
  readonly secretId: string;
  readonly secretKey: string;
}

/** A client under test. */
export interface ClientAdapter {
  /** Names the client and the way it signs and sends. */
  readonly name: string;
  /**
   * Calls an operation once.
   *
   * @param parameters the operation's own, nested as in the official SDK
   * @returns the fields of `Response`, RequestId included, or what the service refused with
   */
  readonly call: (
    connection: ClientConnection,
    operation: 'DescribeAccountQuota' | 'DescribeLaunchTemplateVersions',
    parameters: Readonly<Record<string, unknown>>,
  ) => Promise<ClientResult>;
}
