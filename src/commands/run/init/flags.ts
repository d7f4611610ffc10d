import type { CredentialsConfig } from '../../../config/config.ts';
import type { ConfigFlags } from '../flags.ts';

export interface InitFlags extends ConfigFlags {
  readonly account?: string;
  readonly credentials?: CredentialsConfig['type'];
  readonly region?: readonly string[];
  readonly launchTemplate?: readonly string[];
  readonly endpoint?: string;
}
