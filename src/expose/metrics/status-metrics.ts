/** Metrics whose values other parts of the daemon keep. They are read at each exposition. */
import { Counter, Gauge, type Registry } from 'prom-client';

export interface OwnSample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/**
 * Registers a metric. It is a counter if its name ends in `_total`, else a gauge.
 *
 * @param read the samples, or the value of a metric without labels; `null`: it is absent
 */
export type RegisterMetric = (
  name: string,
  help: string,
  read: () => readonly OwnSample[] | number | null,
  labelNames?: readonly string[],
) => void;

export function registerOn(registry: Registry): RegisterMetric {
  return (name, help, read, labelNames = []) => {
    const options = { name, help, labelNames, registers: [registry] };
    const samples = () => {
      const found = read();
      return typeof found === 'number' ? [{ labels: {}, value: found }] : (found ?? []);
    };
    if (name.endsWith('_total')) {
      new Counter({
        ...options,
        collect() {
          this.reset();
          for (const { labels, value } of samples()) this.inc(labels, value);
        },
      });
    } else {
      new Gauge({
        ...options,
        collect() {
          this.reset();
          // Without labels, it would be 0 and not absent.
          if (labelNames.length === 0) this.remove();
          for (const { labels, value } of samples()) this.set(labels, value);
        },
      });
    }
  };
}
