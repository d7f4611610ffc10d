// The directions in which folders of src/ may import, and no circles between files or folders.

/** What each folder of src/ may import of ours. Everything else is refused. */
const layers = {
  model: [],
  'log.ts': [],
  validation: ['model'],
  files: [],
  api: ['model', 'files'],
  collectors: ['model', 'api', 'validation'],
  config: ['model', 'files', 'api', 'collectors', 'validation'],
  poll: ['model', 'log.ts', 'collectors'],
  state: ['model', 'log.ts', 'files', 'collectors'],
  expose: ['model', 'log.ts', 'validation', 'files', 'collectors'],
  emulator: ['log.ts', 'validation'],
  cluster: ['model', 'log.ts', 'files', 'collectors', 'config', 'poll', 'state'],
  daemon: [
    'model',
    'log.ts',
    'files',
    'api',
    'collectors',
    'config',
    'poll',
    'state',
    'cluster',
    'expose',
  ],
  commands: [
    'model',
    'log.ts',
    'validation',
    'files',
    'api',
    'collectors',
    'config',
    'poll',
    'state',
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
      // They hold while src/ is rewritten, because they know nothing of it.
      name: 'scenarios-reach-no-source',
      severity: 'error',
      from: { path: '^test/process/scenarios/' },
      to: { path: '^src/', reachable: true },
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
