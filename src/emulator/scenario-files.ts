/**
 * The paths of the scenarios in the package. `emulate` and `demo` import only this file at first, so that their help
 * does not load the emulator. The chunks of the bundle are as deep as this file, so one relative path serves both.
 */
import { fileURLToPath } from 'node:url';

const configFile = (name: string) =>
  fileURLToPath(new URL(`../../config/${name}`, import.meta.url));

/** The scenario of `demo`, of `emulate` without `--scenario`, and of `startEmulator` and `createEmulator` without one. */
export const demoScenarioFile = configFile('demo.yaml');
/** The samples of the official documentation. */
export const sampleScenarioFile = configFile('sample.yaml');
