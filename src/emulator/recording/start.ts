import { randomUUID } from 'node:crypto';
import { silentLog, type EmulatorLog } from '../log.ts';
import { listen, type ListeningServer, type ListenOptions } from '../http/listen.ts';
import type { HttpHandler } from '../http/server.ts';
import { envelope } from '../protocol/envelope.ts';
import { wholeReply } from '../protocol/message.ts';
import { defaultMessage } from '../protocol/service-error.ts';
import { createRecording, readRecording } from './recording.ts';
import { Recorder } from './recorder.ts';
import { Replay } from './replay.ts';
import type { UpstreamCredentials } from './upstream.ts';

export interface ReplayOptions extends ListenOptions {
  /** The directory of the recording. */
  readonly directory: string;
  /** Gets a line for each recorded answer (debug), and for each that is missing (warn). */
  readonly log?: EmulatorLog;
}

export interface RecorderOptions extends ReplayOptions {
  /** The URL of the service, such as `https://cvm.tencentcloudapi.com`. */
  readonly upstream: string;
  /** The key that requests to `upstream` are signed with. Defaults to none: they are not signed. */
  readonly credentials?: UpstreamCredentials;
}

/**
 * Passes requests on to the service, and keeps the answers in an empty directory. Account numbers, IDs, names
 * and texts are replaced there, and secrets are left out.
 *
 * @throws InvalidInputError when the directory cannot be used, or is not empty
 * @throws the system's error when the emulator cannot listen on the address
 */
export async function startRecorder(options: RecorderOptions): Promise<ListeningServer> {
  const { directory, upstream, credentials = null, log = silentLog } = options;
  await createRecording(directory);
  const recorder = new Recorder({ directory, upstream: new URL(upstream), credentials, log });
  return serveWith((request) => recorder.handle(request), options);
}

/**
 * Answers requests from the directory of a recording.
 *
 * @throws InvalidFileError or InvalidInputError when the directory does not contain a recording
 * @throws the system's error when the emulator cannot listen on the address
 */
export async function startReplay(options: ReplayOptions): Promise<ListeningServer> {
  const replay = new Replay(await readRecording(options.directory), options.log ?? silentLog);
  return serveWith((request) => replay.handle(request), options);
}

/** Keeps idle connections as long as the emulator does without a scenario that says otherwise. */
const connections = { requestsPerConnection: null, idleConnectionMs: 5_000 };

function serveWith(
  handle: HttpHandler['handle'],
  options: ListenOptions,
): Promise<ListeningServer> {
  const refuse: HttpHandler['refuse'] = (code) => {
    const answer = envelope({ ok: false, code, message: defaultMessage(code) }, randomUUID());
    return wholeReply(JSON.stringify(answer));
  };
  return listen({ handle, refuse, clock: { now: Date.now } }, options, connections);
}
