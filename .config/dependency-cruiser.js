// The directions in which folders of src/ may import, and no circles between files or folders.

/** What each folder of src/ may import of ours. Everything else is refused. */
const layers = {
  model: [],
  'log.ts': [],
  'bounded-calls.ts': [],
  validation: ['model'],
  schedule: ['model'],
  api: ['model'],
  credentials: ['model', 'bounded-calls.ts', 'validation', 'api'],
  collectors: ['model', 'validation', 'api'],
  config: [
    'model',
    'bounded-calls.ts',
    'validation',
    'schedule',
    'api',
    'credentials',
    'collectors',
  ],
  poll: ['model', 'log.ts', 'schedule', 'collectors'],
  storage: ['model', 'log.ts', 'bounded-calls.ts', 'collectors'],
  expose: ['model', 'log.ts', 'bounded-calls.ts', 'validation', 'credentials', 'collectors'],
  emulator: ['log.ts', 'validation'],
  cluster: ['model', 'log.ts', 'schedule', 'collectors', 'config', 'poll', 'storage'],
  daemon: [
    'model',
    'log.ts',
    'bounded-calls.ts',
    'schedule',
    'api',
    'credentials',
    'collectors',
    'config',
    'poll',
    'storage',
    'cluster',
    'expose',
  ],
  commands: [
    'model',
    'log.ts',
    'bounded-calls.ts',
    'validation',
    'schedule',
    'api',
    'credentials',
    'collectors',
    'config',
    'poll',
    'storage',
    'cluster',
    'expose',
    'emulator',
    'daemon',
  ],
  'main.ts': ['commands'],
};

const directions = Object.entries(layers).map(([layer, allowed]) => ({
  name: `${layer}-imports-${['itself', ...allowed].join('-and-')}-only`,
  severity: 'error',
  from: { path: `^src/${layer}(/|$)` },
  to: { path: '^src/', pathNot: [layer, ...allowed].map((folder) => `^src/${folder}(/|$)`) },
}));

export default {
  forbidden: [
    ...directions,
    {
      name: 'src-imports-no-tests',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^test/' },
    },
    {
      // They run the built program. Only the emulator runs in their process.
      name: 'scenarios-reach-only-the-emulator',
      severity: 'error',
      from: { path: '^test/process/scenarios/' },
      to: { path: '^src/', pathNot: '^src/(emulator/|validation/|model/errors)', reachable: true },
    },
    { name: 'no-circle-of-files', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-circle-of-folders',
      severity: 'error',
      scope: 'folder',
      from: { path: '^src/' },
      to: { circular: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // Imports of types count. The parser is swc: TypeScript 7 has no interface that could be used.
    tsPreCompilationDeps: true,
    parser: 'swc',
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
    },
  },
};
