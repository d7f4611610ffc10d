import { collectors } from '../../src/collectors/collectors.ts';
import { parseConfig } from '../../src/config/config.ts';
import { InvalidFileError } from '../../src/validation/problem.ts';

/** The problems of a configuration, each as `line:column: path: message`. */
export function problemsOf(text: string): string[] {
  try {
    parseConfig(text, 'f', collectors);
  } catch (error) {
    if (error instanceof InvalidFileError) {
      return error.message.split('\n').map((line) => line.replace(/^f:/, ''));
    }
    throw error;
  }
  return [];
}
