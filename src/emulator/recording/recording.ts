/** A recording: a directory with a file for each request, which holds the answers in the order they came. */
import { createHash } from 'node:crypto';
import { mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { readYamlFile } from '../../validation/read.ts';
import { InvalidInputError } from '../input/validate.ts';
import type { ParameterValue } from '../protocol/parameters.ts';
import { keyOf, type RecordedRequest } from './recorded-request.ts';

const valueSchema: z.ZodType<ParameterValue> = z.json();

const recordedSchema = z.strictObject({
  format: z.literal(1),
  action: z.string(),
  region: z.string().nullable(),
  parameters: z.record(z.string(), valueSchema),
  answers: z
    .array(
      z.strictObject({
        /** How often it came without another answer between. */
        times: z.int().min(1),
        /** The content of `Response`, without RequestId. */
        response: z.record(z.string(), valueSchema),
      }),
    )
    .min(1),
});

export type Recorded = z.output<typeof recordedSchema>;

/** The content of `Response` in an answer, without RequestId. */
export type RecordedResponse = Recorded['answers'][number]['response'];

/** The fields of `Response` of an answer. `null` for an answer that does not come from the service. */
export function responseOf(body: string): RecordedResponse | null {
  let answer: unknown;
  try {
    answer = JSON.parse(body);
  } catch {
    return null;
  }
  const read = z.object({ Response: z.record(z.string(), valueSchema) }).safeParse(answer);
  return read.success ? read.data.Response : null;
}

/**
 * Makes the directory of a new recording.
 *
 * @throws InvalidInputError when it cannot be used, or contains files: each recording has its own pseudonyms
 */
export async function createRecording(directory: string): Promise<void> {
  const names = await explained(directory, async () => {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    return readdir(directory);
  });
  if (names.length > 0) {
    throw new InvalidInputError(directory, ['the directory is not empty: choose a new one']);
  }
}

/** Replaces the file of a request. A crash leaves the former file, or the new one. */
export async function writeRecorded(directory: string, recorded: Recorded): Promise<void> {
  const file = join(directory, fileName(recorded));
  const temporary = `${file}.tmp`;
  await writeFile(temporary, `${JSON.stringify(recorded, undefined, 2)}\n`, { mode: 0o600 });
  await rename(temporary, file);
}

/**
 * Reads a recording.
 *
 * @throws InvalidFileError for a file that is not part of a recording
 * @throws InvalidInputError when the directory cannot be used, or contains no recording
 */
export async function readRecording(directory: string): Promise<readonly Recorded[]> {
  const entries = await explained(directory, () => readdir(directory));
  const names = entries.filter((name) => name.endsWith('.json'));
  if (names.length === 0) {
    throw new InvalidInputError(directory, ['the directory contains no recording']);
  }
  return Promise.all(names.map((name) => readYamlFile(join(directory, name), recordedSchema)));
}

async function explained<T>(directory: string, use: () => Promise<T>): Promise<T> {
  try {
    return await use();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new InvalidInputError(directory, [`the directory cannot be used: ${reason}`]);
  }
}

function fileName(request: RecordedRequest): string {
  const hash = createHash('sha256').update(keyOf(request)).digest('hex').slice(0, 8);
  const readable = [request.action, request.region ?? 'no-region'].map((part) =>
    part.replace(/[^A-Za-z0-9-]/g, '').slice(0, 60),
  );
  return `${[...readable, hash].join('.')}.json`;
}
