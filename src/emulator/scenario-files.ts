/** The scenarios in the package. Their paths are the same from the bundle. */
import { fileURLToPath } from 'node:url';

const inConfig = (name: string) => fileURLToPath(new URL(`../../config/${name}`, import.meta.url));

/** `demo` uses it, and `emulate` uses it without a file. */
export const demoScenarioFile = inConfig('demo.yaml');
/** The official samples. Code uses it without a scenario. */
export const sampleScenarioFile = inConfig('sample.yaml');
