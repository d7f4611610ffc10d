/** This project's client against the emulator. */
import { createCalls } from '../../../src/api/call.ts';
import { silentObserver } from '../../../src/api/observer.ts';
import { RateLimits } from '../../../src/api/rate-limit.ts';
import {
  signatureMethods,
  type Parameter,
  type SignatureMethod,
} from '../../../src/api/request.ts';
import { Transport } from '../../../src/api/transport.ts';
import { cvm } from '../../../src/collectors/services.ts';
import { CodedError } from '../../../src/model/coded-error.ts';
import { fixedCredentials, unbounded } from '../../support/api-client.ts';
import { describeClient, type ClientAdapter } from './client-contract.ts';

function ownClient(signature: SignatureMethod): ClientAdapter {
  return {
    name: `this project's client, ${signature}`,
    call: async ({ url, region, secretId, secretKey }, operation, parameters) => {
      const transport = new Transport({});
      const settings = {
        account: 'production',
        site: 'domestic',
        endpoint: url,
        signature,
        credentials: fixedCredentials({ secretId, secretKey, token: null }),
        identity: 'production',
        timeoutMs: 10_000,
        maxAttempts: 1,
      } as const;
      const { call } = createCalls(() => settings, {
        clock: { now: () => Date.now() },
        random: () => 0,
        observer: silentObserver,
        transport,
        rateLimits: new RateLimits(20),
        userAgent: 'own-client/1.0',
      });
      const request = { ...cvm, action: operation, region, parameters: flatten(parameters) };
      try {
        const fields = await call(request, (response) => response.fields, unbounded());
        return { ok: true, response: fields };
      } catch (error) {
        if (!(error instanceof CodedError)) throw error;
        return { ok: false, code: error.code, requestId: error.requestId ?? '' };
      } finally {
        transport.close();
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

for (const signature of signatureMethods) {
  describeClient(ownClient(signature));
}
