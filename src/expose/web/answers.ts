/** What all answers of the server have in common. */

/** On every answer. */
export const commonHeaders = { 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store' };
export const textHeaders = { 'Content-Type': 'text/plain; charset=utf-8' };

export const notAllowedText = 'method not allowed\n';
export const internalErrorText = 'internal error; the log says more\n';

/** Receives the failure of an answer: a fault of this program, so its stack is logged. */
export type FailureListener = (error: unknown, path: string) => void;
