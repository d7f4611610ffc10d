import { readdirSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer } from 'vitest/node';

// Which tests run is in their names: *.long.test.ts are left out of the tiers that are too short for them;
// *.fuzz.test.ts and *.property.test.ts make fewer runs in the short ones (test/support/fuzz.ts).
const tiers = {
  // npm test
  quick: { include: ['*.test.ts'], exclude: ['*.long.test.ts'] },
  // What `all` has beyond `quick`, and once more the tests of some folders: on the Node version of the image.
  image: {
    include: ['*.long.test.ts', '*.fuzz.test.ts', '*.property.test.ts'],
    exclude: [],
    again: ['unit'],
  },
  all: { include: ['*.test.ts'], exclude: [] },
  soak: { include: ['*.test.ts'], folders: ['soak'], exclude: [] },
  // On a further version of Node. Random inputs are as many as in the quick one.
  further: {
    include: ['*.test.ts'],
    folders: ['unit'],
    exclude: ['*.long.test.ts'],
  },
  // npm run mutation: what kills a mutant is a unit test, or a test of behaviour that reaches the core and ends soon.
  mutation: {
    include: [
      '{model,collectors,api}/**/*.test.ts',
      '{config/{config,mistakes,schema.generated},credentials/policies,commands/check-config}.test.ts',
      '{poll/cycle,docs/docs.generated}.test.ts',
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
const { again = [], include, exclude, folders = ['unit', 'behaviour', 'process'] } = tiers[tier];

/** Only *.long.test.ts use one. */
const usesTools = !exclude.includes('*.long.test.ts');

const root = fileURLToPath(new URL('..', import.meta.url));

const timeoutsMs = {
  unit: 60_000,
  behaviour: 60_000,
  // For what hangs: on a busy machine, a test took up to 76 s.
  process: 300_000,
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
    include: (again.includes(name) ? ['*.test.ts'] : include).map(
      (pattern) => `test/${name}/**/${pattern}`,
    ),
    exclude: exclude.map((pattern) => `**/${pattern}`),
    // A proxy of the machine must not get the requests to the emulator.
    env: { TEST_TIER: tier, HTTP_PROXY: '', http_proxy: '', LC_ALL: 'C' },
    // No test is the first that uses a tool of .config/tools: its limit of time is not for an installation.
    globalSetup: usesTools && name === 'process' ? ['.config/install-tools.js'] : [],
    setupFiles: tier === 'mutation' ? ['.config/end-on-failure.js'] : [],
    testTimeout: timeoutsMs[name],
    hookTimeout: timeoutsMs[name],
    expect: {
      poll: {
        // What a test waits for may come late on a busy machine. In a mutant it may never come.
        timeout: tier === 'mutation' ? 2_000 : 20_000,
        // A question to a process costs both sides some milliseconds.
        interval: name === 'process' ? 100 : 20,
      },
    },
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

/** What begins first, by name and folder. */
const first =
  tier === 'mutation'
    ? // The first failure ends the tests of a mutant, and these are the quickest.
      [/\/unit\/(model|collectors|api)\/(?!.*\.property\.)/, /\/unit\//]
    : // One of these that began at the end would leave a core idle.
      [/\.(long|fuzz)\./, /\/process\//];

function place({ moduleId }) {
  const index = first.findIndex((pattern) => pattern.test(moduleId));
  return index === -1 ? first.length : index;
}

class SlowestFirst extends BaseSequencer {
  async sort(files) {
    // It begins with what killed the mutant before.
    if (tier === 'mutation')
      return (await super.sort(files)).toSorted((a, b) => place(a) - place(b));
    // A worker that changes the project loads the program again. A file takes about as long as it is large.
    const size = ({ moduleId }) => statSync(moduleId).size;
    const byProject = (a, b) => folders.indexOf(a.project.name) - folders.indexOf(b.project.name);
    return files.toSorted((a, b) => place(a) - place(b) || byProject(a, b) || size(b) - size(a));
  }
}

export default defineConfig({
  test: {
    root,
    // The runs of the gate have most of their files in common. Each sandbox of Stryker has paths of its own, so the
    // cache would only grow.
    experimental: { fsModuleCache: tier !== 'mutation' },
    reporters: ['default', leftOut, brokenFiles],
    // Most of a test with processes is waiting: four files at a time use two cores, and six of the slow ones.
    maxWorkers: Math.max(tier === 'image' || tier === 'all' ? 6 : 4, availableParallelism()),
    sequence: { sequencer: SlowestFirst },
    projects: folders.map(project),
  },
});
