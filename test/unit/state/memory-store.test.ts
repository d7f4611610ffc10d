import { createMemoryStore } from '../../helpers/memory-store.ts';
import { describeStoreContract } from './store-contract.ts';

describeStoreContract('the memory store', () => Promise.resolve(createMemoryStore()));
