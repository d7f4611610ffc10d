import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { ScenarioInput } from '../../src/emulator/emulator.ts';
import { sampleScenarioFile } from '../../src/emulator/scenario-files.ts';

/** The scenario of an emulator in code without a scenario. */
export const sampleScenario = parse(readFileSync(sampleScenarioFile, 'utf8')) as ScenarioInput;
