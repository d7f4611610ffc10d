/** Writes a result to standard output. Logs and errors go to standard error. */
export function print(text: string): void {
  process.stdout.write(text);
}
