/** Turns the configured accounts into one function that polls any of their targets. */
import { createCaller } from './api/caller.ts';
import { ConnectionPools } from './api/connections.ts';
import type { CredentialsProvider } from './api/credentials/credentials.ts';
import { environmentCredentials } from './api/credentials/environment.ts';
import { fileCredentials } from './api/credentials/files.ts';
import { noCredentials } from './api/credentials/none.ts';
import type { ApiObserver } from './api/observer.ts';
import { createAccountPoll } from './collectors/account-poll.ts';
import type { CollectorSet } from './collectors/collector-set.ts';
import type { Config, CredentialsConfig } from './config/config.ts';
import type { Clock } from './model/clock.ts';
import type { PollAnswer, PollContext } from './model/poll-outcome.ts';
import type { Target } from './model/target.ts';

/** Where time, chance and variables come from. */
export interface Surroundings {
  readonly clock: Clock;
  readonly random: () => number;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface Accounts {
  /** Asks the service about a target of a configured account; rejects with a CodedError. */
  poll(target: Target, context: PollContext): Promise<PollAnswer>;
  /** Ends every connection. */
  close(): Promise<void>;
}

export function connectAccounts(
  config: Pick<Config, 'api' | 'accounts'>,
  collectors: CollectorSet,
  observer: ApiObserver,
  { clock, random, env }: Surroundings,
): Accounts {
  const connections = new ConnectionPools();
  const polls = new Map(
    config.accounts.map(({ name, credentials }) => {
      const provider = providerOf(credentials, clock, env);
      const call = createCaller({
        ...config.api,
        account: name,
        credentials: provider,
        clock,
        random,
        observer,
        connections,
      });
      return [name, createAccountPoll(call, provider, collectors)];
    }),
  );
  return {
    poll: (target, context) => {
      const poll = polls.get(target.account);
      if (poll === undefined) throw new Error(`no account is called ${target.account}`);
      return poll(target, context);
    },
    close: () => connections.close(),
  };
}

function providerOf(
  config: CredentialsConfig,
  clock: Clock,
  env: Surroundings['env'],
): CredentialsProvider {
  switch (config.type) {
    case 'none':
      return noCredentials;
    case 'environment':
      return environmentCredentials(env, {
        secretId: config.secret_id_env,
        secretKey: config.secret_key_env,
        token: config.token_env,
      });
    case 'files':
      return fileCredentials(
        {
          secretIdFile: config.secret_id_file,
          secretKeyFile: config.secret_key_file,
          tokenFile: config.token_file,
        },
        clock,
      );
  }
}
