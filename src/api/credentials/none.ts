import type { CredentialsProvider } from './credentials.ts';

/** For endpoints that need no signature. */
export const noCredentials: CredentialsProvider = {
  get: () => Promise.resolve(null),
  refresh: () => undefined,
};
