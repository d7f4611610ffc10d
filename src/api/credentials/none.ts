import { readCredentials, type CredentialsProvider } from './credentials.ts';

/** For endpoints that need no signature. */
export const noCredentials: CredentialsProvider = readCredentials(() => Promise.resolve(null));
