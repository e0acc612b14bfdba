import { testMutantsOf } from '../fixtures/mutants-found.ts';

await testMutantsOf((name) => name === 'guide-agent');
