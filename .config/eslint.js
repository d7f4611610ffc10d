// Lint rules: type-aware typescript-eslint, and the one direction in which folders of src/ may import.
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

/** What each folder (or top-level file) of src/ may import of ours. Everything else is refused. */
const layers = {
  model: [],
  logging: [],
  'validated-yaml': [],
  api: ['model'],
  collectors: ['model', 'api', 'validated-yaml'],
  config: ['model', 'collectors', 'validated-yaml'],
  poll: ['model', 'collectors'],
  state: ['model', 'collectors'],
  expose: ['model', 'collectors'],
  emulator: ['validated-yaml'],
};
const layerNames = [...Object.keys(layers), 'commands', 'accounts.ts', 'daemon.ts', 'main.ts'];

const importDirections = Object.entries(layers).map(([layer, allowed]) => ({
  files: [`src/${layer}/**/*.ts`],
  rules: {
    'no-restricted-imports': [
      'error',
      {
        patterns: layerNames
          .filter((other) => other !== layer && !allowed.includes(other))
          .map((other) => ({
            regex: other.endsWith('.ts') ? `^(\\.\\./)+${other}$` : `^(\\.\\./)+${other}/`,
            message: `src/${layer} may import ${['its own folder', ...allowed.map((name) => `src/${name}`)].join(', ')} and packages only.`,
          })),
      },
    ],
  },
}));

export default defineConfig([
  globalIgnores(['dist/', 'data/', 'coverage/', 'node_modules/']),
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/consistent-type-assertions': ['error', { assertionStyle: 'never' }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      'no-console': 'error',
      eqeqeq: 'error',
    },
  },
  ...importDirections,
  {
    files: ['test/**/*.ts'],
    rules: {
      '@typescript-eslint/consistent-type-assertions': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      'no-console': 'off',
    },
  },
]);
