/** The service does not believe who calls: clocks apart, a token at its end, a file that is not there. */
import { rename } from 'node:fs/promises';
import type { Fault } from './fault.ts';
import { productionTargets, stagingTargets } from './world.ts';

const hourMs = 3_600_000;

export const credentials: readonly Fault[] = [
  {
    name: 'a clock ten minutes behind that of the service',
    targets: [...productionTargets, ...stagingTargets],
    code: null,
    begin: ({ monitor }) => (monitor.skew.ms = 600_000),
    end: ({ monitor }) => (monitor.skew.ms = 0),
  },
  {
    name: 'a clock ten minutes ahead of that of the service',
    targets: [...productionTargets, ...stagingTargets],
    code: null,
    begin: ({ monitor }) => (monitor.skew.ms = -600_000),
    end: ({ monitor }) => (monitor.skew.ms = 0),
  },
  {
    name: 'a token that has expired, until another is given',
    targets: productionTargets,
    code: 'AuthFailure.TokenFailure',
    requests: 1,
    begin: ({ monitor }) => {
      monitor.clock.advance(hourMs);
    },
    end: ({ env }) => Object.assign(env, { ID: 'second-id', KEY: 'second-key', TOKEN: 'second' }),
  },
  {
    name: 'a wrong key',
    targets: productionTargets,
    code: 'AuthFailure.SignatureFailure',
    requests: 1,
    begin: ({ env }) => (env.KEY = 'wrong'),
    end: ({ env }) => (env.KEY = 'production-key'),
  },
  {
    name: 'a variable that is not set',
    targets: productionTargets,
    code: 'Credentials',
    requests: 0,
    begin: ({ env }) => delete env.KEY,
    end: ({ env }) => (env.KEY = 'production-key'),
  },
  {
    name: 'a credentials file that is missing, then there',
    targets: stagingTargets,
    code: 'Credentials',
    begin: ({ keyFile }) => rename(keyFile, `${keyFile}.away`),
    end: ({ keyFile }) => rename(`${keyFile}.away`, keyFile),
  },
];
