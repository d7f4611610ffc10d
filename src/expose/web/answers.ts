/** Code for all answers of the server. */

/** Headers of every answer. */
export const commonHeaders = { 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store' };
export const textHeaders = { 'Content-Type': 'text/plain; charset=utf-8' };

export const notAllowedText = 'method not allowed\n';
export const internalErrorText = 'internal error; the log says more\n';

/** Receives the error of an answer. It is a bug of this program, so its stack is logged. */
export type FailureListener = (error: unknown, path: string) => void;
