import { defineConfig } from 'vitest/config';

const project = (name, options) => ({
  test: {
    name,
    include: [`test/${name}/**/*.test.ts`],
    testTimeout: options.testTimeout,
    hookTimeout: options.testTimeout,
  },
});

export default defineConfig({
  test: {
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
