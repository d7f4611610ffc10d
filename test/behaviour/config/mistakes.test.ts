import { collectors } from '../../../src/collectors/collectors.ts';
import { loadConfig } from '../../../src/config/config.ts';
import { temporaryFile } from '../../support/directories.ts';
import { testMistakes } from '../../support/mistakes.ts';

testMistakes('config/mistakes.yaml', async (text) =>
  loadConfig(await temporaryFile('config.yaml', text), collectors),
);
