import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer } from 'vitest/node';

// Which tests run is in their names: *.long.test.ts are left out of the tiers that are too short for them;
// *.fuzz.test.ts and *.property.test.ts make fewer runs in the short ones (test/support/fuzz.ts).
const tiers = {
  // npm test
  quick: { include: ['*.test.ts'], exclude: ['*.long.test.ts'] },
  // What `all` has beyond `quick`.
  rest: { include: ['*.long.test.ts', '*.fuzz.test.ts', '*.property.test.ts'], exclude: [] },
  all: { include: ['*.test.ts'], exclude: [] },
  soak: { include: ['*.test.ts'], folders: ['soak'], exclude: [] },
  // Once more on another version of Node. Random inputs are as many as in the quick one.
  again: {
    include: ['*.test.ts'],
    folders: ['unit'],
    exclude: ['*.long.test.ts'],
  },
  // npm run mutation: what kills a mutant is a unit test, or a test of behaviour that reaches the core and ends soon.
  mutation: {
    include: [
      '{model,collectors,api}/**/*.test.ts',
      'config/{config,mistakes,policies,schema.generated,cycle-estimate}.test.ts',
      '{poll/waves,docs/docs.generated}.test.ts',
      '{check,check-config,check-scenario,discovered-*,launches,print-policy}.test.ts',
    ],
    folders: ['unit', 'behaviour'],
    exclude: ['*.fuzz.test.ts', '*.long.test.ts'],
  },
};
const tier = process.env.TEST_TIER ?? 'all';
if (!(tier in tiers)) {
  throw new Error(`no tier of tests is called ${tier}; there are ${Object.keys(tiers).join(', ')}`);
}
const { include, exclude, folders = ['unit', 'behaviour', 'process'] } = tiers[tier];

const root = fileURLToPath(new URL('..', import.meta.url));

const timeoutsMs = {
  unit: 60_000,
  behaviour: 60_000,
  process: 120_000,
  soak: 300_000,
};

const project = (name) => ({
  test: {
    name,
    // Loading the program again for each of the many small files would take most of their time. In a process of
    // its own, the heap of a test has nothing of other tests.
    isolate: name === 'soak',
    // Otherwise the style of the page would be empty.
    css: true,
    include: include.map((pattern) => `test/${name}/**/${pattern}`),
    exclude: exclude.map((pattern) => `**/${pattern}`),
    // A proxy of the machine must not get the requests to the emulator.
    env: { TEST_TIER: tier, HTTP_PROXY: '', http_proxy: '' },
    setupFiles: tier === 'mutation' ? ['.config/end-on-failure.js'] : [],
    testTimeout: timeoutsMs[name],
    hookTimeout: timeoutsMs[name],
    // What a test waits for may come late on a busy machine. In a mutant it may never come.
    expect: { poll: { timeout: tier === 'mutation' ? 2_000 : 20_000, interval: 20 } },
  },
});

/** Says at the end of the quick tier how much it left out. */
const leftOut = {
  onTestRunEnd() {
    if (tier !== 'quick') return;
    const slow = readdirSync(`${root}test`, { recursive: true }).filter((file) =>
      file.endsWith('.long.test.ts'),
    );
    console.log(
      `Not run: ${slow.length} slow files (npm run test:all), and test/soak (npm run soak).\n`,
    );
  },
};

/**
 * Gives a file that cannot be loaded a failed test. Stryker looks at tests only, so the mutant that breaks
 * a file would survive (stryker-mutator/stryker-js#6150).
 */
const brokenFiles = {
  onTestRunEnd(modules) {
    if (tier !== 'mutation') return;
    for (const { task: file } of modules) {
      if (file.result?.state === 'fail' && file.tasks.length === 0)
        file.tasks.push({ type: 'test', name: 'can be loaded', file, result: file.result });
    }
  },
};

/** The slowest files, the slowest first. One that began at the end would leave a core idle. */
const slowest = [
  'container.long',
  'kills-at-any-moment',
  'random-steps',
  'rules.long',
  'status-page.long',
  'package.long',
  'prometheus.long',
  'config.fuzz',
  'check-serves-scripts',
  'check-exits-with-the-verdict',
  'check-config-names-every-mistake',
  'hostile-clients',
  'check-prints-in-four-forms',
  'stopping.long',
  'scenarios/storage-in-trouble',
  'process/cluster/',
  '.long.',
];

/** In a mutation run, the first failure ends the tests of a mutant, so the slow ones come last. */
const last = ['/mistakes.', '.property.', '/behaviour/'];

class SlowestFirst extends BaseSequencer {
  async sort(files) {
    if (tier === 'mutation') {
      const place = ({ moduleId }) => last.findIndex((name) => moduleId.includes(name));
      return files.toSorted((a, b) => place(a) - place(b));
    }
    const place = ({ moduleId }) => {
      const index = slowest.findIndex((name) => moduleId.includes(name));
      return index === -1 ? slowest.length : index;
    };
    return (await super.sort(files)).toSorted((a, b) => place(a) - place(b));
  }
}

export default defineConfig({
  test: {
    root,
    reporters: ['default', leftOut, brokenFiles],
    // Most of a test with processes is waiting: four files at a time use two cores, and six of the slow ones.
    maxWorkers: Math.max(tier === 'rest' || tier === 'all' ? 6 : 4, availableParallelism()),
    sequence: { sequencer: SlowestFirst },
    projects: folders.map(project),
  },
});
