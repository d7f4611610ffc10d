/** Comma-separated values (RFC 4180) that a spreadsheet can open without risk. */

/** One cell. `null` for an unknown value. */
export type CsvCell = string | number | boolean | null;

/** One line with its end. */
export function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

/**
 * A text from outside that begins like a formula gets an apostrophe, because a spreadsheet would run it. A
 * number keeps its sign.
 */
function csvCell(cell: CsvCell): string {
  if (typeof cell !== 'string') return cell === null ? '' : String(cell);
  const text = /^[=+\-@\t\r\n]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
