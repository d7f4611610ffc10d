import type { CredentialsType } from '../../../config/credentials-names.ts';
import type { ConfigFlags } from '../flags.ts';

export interface InitFlags extends ConfigFlags {
  readonly account?: string;
  readonly credentials?: CredentialsType;
  readonly region?: readonly string[];
  readonly launchTemplate?: readonly string[];
  readonly endpoint?: string;
}
