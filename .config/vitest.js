import { defineConfig } from 'vitest/config';
import { BaseSequencer } from 'vitest/node';

const project = (name, options) => ({
  test: {
    name,
    include: [`test/${name}/**/*.test.ts`],
    testTimeout: options.testTimeout,
    hookTimeout: options.testTimeout,
  },
});

/** Starts the file that takes the longest first, so that no core waits for it at the end. */
class LongestFirst extends BaseSequencer {
  async sort(files) {
    const isLongest = ({ moduleId }) => moduleId.endsWith('/bounded-memory.test.ts');
    const sorted = await super.sort(files);
    return [...sorted.filter(isLongest), ...sorted.filter((file) => !isLongest(file))];
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    // Most of an end-to-end test is waiting: a machine of two cores runs two files at a time.
    maxWorkers: '100%',
    root: new URL('..', import.meta.url).pathname,
    projects: [
      project('unit', { testTimeout: 30_000 }),
      project('conformance', { testTimeout: 60_000 }),
      project('e2e', { testTimeout: 120_000 }),
    ],
  },
});
