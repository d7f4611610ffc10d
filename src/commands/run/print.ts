/** Writes to standard output, where a command's result goes; logs and errors go elsewhere. */
export function print(text: string): void {
  process.stdout.write(text);
}
