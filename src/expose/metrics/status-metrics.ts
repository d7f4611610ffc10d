/** Metrics without labels whose values other parts of the daemon keep. They are read at each exposition. */
import { Counter, Gauge, type Registry } from 'prom-client';

/**
 * Functions that register such metrics.
 *
 * @param status gives the present values
 */
export function statusMetrics<Status>(registry: Registry, status: () => Status) {
  const registers = [registry];
  return {
    counter: (name: string, help: string, valueOf: (status: Status) => number) =>
      new Counter({
        name,
        help,
        registers,
        collect() {
          this.reset();
          this.inc(valueOf(status()));
        },
      }),
    /** @param valueOf `null`: the metric is absent */
    gauge: (name: string, help: string, valueOf: (status: Status) => number | null) =>
      new Gauge({
        name,
        help,
        registers,
        collect() {
          const value = valueOf(status());
          if (value === null) this.remove();
          else this.set(value);
        },
      }),
  };
}
