import { expect, test } from 'vitest';
import { collectors } from '../../../src/collectors/collectors.ts';
import type { Target } from '../../../src/model/target.ts';
import { visitInWaves } from '../../../src/poll/cycle.ts';
import { quotaTarget, templateListTarget, templateTarget } from '../../support/fake-monitor.ts';
import { rowsOf } from '../../support/rows.ts';

const finder = collectors.regionDiscovery!.target('production');
/** The targets of `ap-a`, of its template `ap-a lt-1`, or of the list of `regions`. */
function targetsOf(place: string): Target[] {
  if (place === 'regions') return [finder];
  const [name = '', id] = place.split(' ');
  if (id !== undefined) return [templateTarget('production', name, id)];
  return [quotaTarget('production', name), templateListTarget('production', name)];
}

interface Step {
  /** The visit that ends. Without one, the cycle begins. */
  readonly end?: string;
  /** What the plan has after it, too: regions, or a region and a template. */
  readonly finds?: readonly string[];
  /** The visits that begin then. Defaults to none. */
  readonly begun?: readonly string[];
}

test.each(rowsOf<[string, places: string[], readonly Step[]]>('schedule', 'waves-of-a-cycle'))(
  '%s',
  async (_name, places, steps) => {
    const targets = places.flatMap(targetsOf);
    const begun: string[] = [];
    const ends = new Map<string, () => void>();
    const done = visitInWaves({
      collectors,
      targets: () => targets,
      visit: ({ operation, region: place, resource }) => {
        const what = resource?.template_id ?? operation.replace(/^Describe/, '');
        const name = what === 'Regions' ? what : `${place} ${what}`;
        begun.push(name);
        return new Promise((resolve) => ends.set(name, resolve));
      },
    });

    for (const { end, finds = [], begun: expected = [] } of steps) {
      targets.push(...finds.flatMap(targetsOf));
      if (end !== undefined) ends.get(end)!();
      await new Promise(setImmediate);
      expect(begun.splice(0).toSorted()).toEqual(expected);
    }

    for (const end of ends.values()) end();
    await done;
  },
);
