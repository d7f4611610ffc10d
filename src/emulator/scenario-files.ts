/**
 * The paths of the scenario files that the package ships in `config/`, for `emulator.ts`, tests, and the commands
 * `emulate` and `demo`. The commands import the emulator itself only when they run, so their help does not load it.
 */
import { fileURLToPath } from 'node:url';

// Also right in the bundle: its chunks are two folders deep, as this file is.
const configFile = (name: string) =>
  fileURLToPath(new URL(`../../config/${name}`, import.meta.url));

/** The scenario of `demo`, of `emulate` without `--scenario`, and of `startEmulator` and `createEmulator` without one. */
export const demoScenarioFile = configFile('demo.yaml');
/** The samples of the official documentation, as a scenario for tests. */
export const sampleScenarioFile = configFile('sample.yaml');
