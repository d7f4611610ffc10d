import { collectors } from '../../../src/collectors/collectors.ts';
import { parseConfig } from '../../../src/config/config.ts';
import { testMistakes } from '../../support/mistakes.ts';

testMistakes('config/mistakes.yaml', (text) => parseConfig(text, 'f', collectors));
