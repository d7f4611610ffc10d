import { fileURLToPath } from 'node:url';

/** The scenario that comes with the package: what `demo` runs on, and `emulate` without a file. */
export const demoScenarioFile = fileURLToPath(
  new URL('../../../config/demo.yaml', import.meta.url),
);
