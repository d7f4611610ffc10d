/** Answers requests that Node.js cannot read, as Node.js would, but with the configured headers. `server.ts` calls it once. */
import { STATUS_CODES, type OutgoingHttpHeaders, type Server } from 'node:http';
import { codeOf } from '../model/errors.ts';
import { textAnswer } from './answers.ts';

/** The status by the code of the error. Other codes of the parser (`HPE_…`) are 400. */
const statuses: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/**
 * Answers each such request of a server, and ends its connection. Errors of the connection itself have no answer.
 *
 * @param headersNow the configured headers, read for each answer, as a reload may replace them
 */
export function refuseUnreadable(server: Server, headersNow: () => OutgoingHttpHeaders): void {
  server.on('clientError', (error, socket) => {
    const code = codeOf(error) ?? '';
    const status = statuses[code] ?? (code.startsWith('HPE_') ? 400 : null);
    // Not in the middle of another answer.
    if (status !== null && socket.writable && socket.writableLength === 0) {
      const { body, headers } = textAnswer(status, 'the request cannot be read\n');
      const fields = Object.entries({ ...headersNow(), ...headers, Connection: 'close' });
      const lines = fields.map(([name, value]) => `${name}: ${String(value)}\r\n`).join('');
      socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}\r\n${String(body)}`);
    }
    socket.destroy();
  });
}
