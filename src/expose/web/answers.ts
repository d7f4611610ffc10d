/** What answers have in common, whichever part of the server makes them. */

/** On every answer. */
export const commonHeaders = { 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store' };
export const textHeaders = { 'Content-Type': 'text/plain; charset=utf-8' };

export const notAllowedText = 'method not allowed\n';
export const internalErrorText = 'internal error; the log says more\n';

/** Takes the failure of an answer: a fault of ours, worth its stack. */
export type FailureListener = (error: unknown, path: string) => void;
