/** Turns one JSON log line into logfmt, the log format of Prometheus exporters. */
export function logfmtLine(json: string): string {
  const entry: unknown = JSON.parse(json);
  if (typeof entry !== 'object' || entry === null) return json;
  const { ts, level, msg, ...fields } = Object.fromEntries<unknown>(Object.entries(entry));
  const pairs = Object.entries({ ts, level, msg, ...fields });
  return `${pairs.map(([key, value]) => `${key}=${quote(value)}`).join(' ')}\n`;
}

function quote(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return /^[^\s"=\\\p{Cc}]+$/u.test(text) ? text : JSON.stringify(text);
}
