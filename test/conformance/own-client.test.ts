/** This project's client against the emulator. */
import { LargeAnswers } from '../../src/api/answer-body.ts';
import { YieldQueue } from '../../src/api/yield-queue.ts';
import { createRetryingCall } from '../../src/api/retrying-call.ts';
import { ConnectionPools } from '../../src/api/connections.ts';
import { silentObserver } from '../../src/api/observer.ts';
import { RateLimits } from '../../src/api/rate-limits.ts';
import { Routes } from '../../src/api/routes.ts';
import type { Parameter } from '../../src/api/request.ts';
import { ServiceClock } from '../../src/api/service-clock.ts';
import type { SignatureMethod } from '../../src/api/signature-methods.ts';
import { CodedError } from '../../src/model/coded-error.ts';
import { fixedCredentials, unbounded } from '../helpers/api-client.ts';
import { describeClient, type ClientAdapter } from './client-contract.ts';

function ownClient(signature: SignatureMethod): ClientAdapter {
  return {
    name: `this project's client, ${signature}`,
    call: async ({ url, region, secretId, secretKey }, operation, parameters) => {
      const connections = new ConnectionPools();
      const settings = {
        account: 'production',
        endpoint: url,
        signature,
        credentials: fixedCredentials({ secretId, secretKey, token: null }),
        requestsPerSecond: 20,
        timeoutMs: 10_000,
        maxAttempts: 1,
        clock: { now: () => Date.now() },
        random: () => 0,
        observer: silentObserver,
        connections,
        largeAnswers: new LargeAnswers(),
        yieldQueue: new YieldQueue(),
        rateLimits: new RateLimits(20),
        routes: new Routes({}),
        userAgent: 'conformance/1.0',
      };
      const call = createRetryingCall(() => settings, new ServiceClock());
      const request = { operation, region, parameters: flatten(parameters) };
      try {
        const fields = await call(request, (response) => response.fields, unbounded());
        return { ok: true, response: fields };
      } catch (error) {
        if (!(error instanceof CodedError)) throw error;
        return { ok: false, code: error.code, requestId: error.requestId ?? '' };
      } finally {
        connections.close();
      }
    },
  };
}

/** Nested parameters as indexed names: `Filters.0.Values.1`. */
function flatten(parameters: object, prefix = ''): Parameter[] {
  return Object.entries(parameters).flatMap(([name, value]: [string, unknown]) =>
    typeof value === 'object' && value !== null
      ? flatten(value, `${prefix}${name}.`)
      : [[`${prefix}${name}`, String(value)]],
  );
}

for (const signature of ['hmac-sha256', 'hmac-sha1', 'tc3'] as const) {
  describeClient(ownClient(signature));
}
