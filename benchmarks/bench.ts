import { runApprovalQuestion } from './approval/run-approval-question.ts';
import { runContractsQuestion } from './contracts/run-contracts-question.ts';
import { runEncryptionQuestion } from './encryption/run-encryption-question.ts';
import { type BenchOptions, runEngineQuestion } from './engine/run-engine-question.ts';
import { runExecutorQuestion } from './executor/run-executor-question.ts';
import { runMemoryQuestion } from './memory/run-memory-question.ts';
import { runPostgresQuestion } from './postgres/run-postgres-question.ts';
import { runProofsQuestion } from './proofs/run-proofs-question.ts';
import { runRemovalQuestion } from './removal/run-removal-question.ts';
import { runRetrievalQuestion } from './retrieval/run-retrieval-question.ts';
import { runScaleQuestion } from './scale/run-scale-question.ts';
import { runServerQuestion } from './server/run-server-question.ts';
import { runStartQuestion } from './start/run-start-question.ts';
import { runThreadsQuestion } from './threads/run-threads-question.ts';
import { runTokensQuestion } from './tokens/run-tokens-question.ts';

const questions: Readonly<Record<string, (options: BenchOptions) => Promise<void>>> = {
  approval: runApprovalQuestion,
  contracts: runContractsQuestion,
  encryption: runEncryptionQuestion,
  engine: runEngineQuestion,
  executor: runExecutorQuestion,
  memory: runMemoryQuestion,
  postgres: runPostgresQuestion,
  proofs: runProofsQuestion,
  removal: runRemovalQuestion,
  retrieval: runRetrievalQuestion,
  scale: runScaleQuestion,
  server: runServerQuestion,
  start: runStartQuestion,
  threads: runThreadsQuestion,
  tokens: runTokensQuestion,
};

const [name = '', ...options] = process.argv.slice(2);
const question = Object.hasOwn(questions, name) ? questions[name] : undefined;
if (question && options.every((option) => option === '--quick')) {
  await question({ quick: options.length > 0 });
} else {
  console.error(`usage: npm run bench -- <question> [--quick]\nquestions: ${Object.keys(questions).join(', ')}`);
  process.exitCode = 2;
}
