/** Does nothing: what its event loop waits for is the machine. Answers as probe.ts does. */
import './probe.ts';
import { announceReady } from './side.ts';

setInterval(() => undefined, 1_000);
announceReady();
