import { fileURLToPath } from 'node:url';

/** The scenario in the package. `demo` uses it, and `emulate` uses it without a file. */
export const demoScenarioFile = fileURLToPath(new URL('../../config/demo.yaml', import.meta.url));
