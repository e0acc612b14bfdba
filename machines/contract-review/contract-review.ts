import { type ChatModel, checkInteger, defineWorkflow, type JsonObject, type Workflow, WorkflowError } from 'agent-machines';
import type { ReviewLanguage } from 'agent-machines/contracts';
import { fittedModel } from 'agent-machines/models';
import { checkOptions, optionKinds } from 'agent-machines/tools';
import { machine } from './machine.ts';
import { applyRules } from './nodes/apply-rules.ts';
import { askModel } from './nodes/ask-model.ts';
import { checkFindings } from './nodes/check-findings.ts';
import type { ContractReviewServices } from './services.ts';
import type { ContractReviewMachineInput, ContractReviewOutput, ContractReviewState, ContractText } from './state.ts';

export interface ContractReviewOptions {
  /** Adds findings. Default: rules only. */
  readonly model?: ChatModel;
  /** Maximum number of tokens of a request and its reply. Default: by the model's name. */
  readonly contextTokens?: number;
  /** Retries after an unusable reply. @default 1 */
  readonly maxRepairs?: number;
}

export interface ContractReviewInput {
  /** Name and text of the contract, at most 1,000,000 characters. `loadDocument` of `agent-machines/documents` reads them from a file. */
  readonly contract: ContractText;
  /** Standard contract to compare it with. */
  readonly standard?: ContractText;
  /** The party whose side the review takes. */
  readonly as?: string;
  /** Language of the review's own sentences. Default: that of the contract. */
  readonly language?: ReviewLanguage;
  /** ISO date. Default: the day on which the run starts, in UTC. */
  readonly today?: string;
  /** ISO dates that are no business days, besides Saturdays and Sundays. */
  readonly holidays?: readonly string[];
}

const maxChars = 1_000_000;

/**
 * Reviews a contract by rules. With a model, adds its findings whose quotes stand verbatim in the contract, and counts the others.
 *
 * @throws {WorkflowError} `OPTION_INVALID`.
 * @example
 * const run = createRuntime().start(contractReview(), { contract: { name: 'lease.md', text }, as: 'Tenant' });
 */
export function contractReview(
  options: ContractReviewOptions = {},
): Workflow<ContractReviewInput, ContractReviewState, ContractReviewOutput> {
  checkOptions('contractReview', options, {
    model: optionKinds.objectWith('a ChatModel', 'generate'),
    contextTokens: optionKinds.number,
    maxRepairs: optionKinds.number,
  });
  const { model, contextTokens } = options;
  const services: ContractReviewServices = {
    ...(model === undefined ? {} : { model: fittedModel(model, contextTokens === undefined ? {} : { contextTokens }) }),
    maxRepairs: checkInteger('maxRepairs', options.maxRepairs ?? 1, { min: 0, max: 10 }),
  };
  return defineWorkflow<typeof machine, ContractReviewInput>({
    machine,
    nodes: { apply_rules: applyRules(), ask_model: askModel(services), check_findings: checkFindings() },
    model: model?.name ?? 'rules',
    parseInput,
    toMachineInput: (input, { startedAt }): ContractReviewMachineInput => ({
      contract: input.contract,
      standard: input.standard ?? null,
      as: input.as ?? null,
      language: input.language ?? null,
      today: input.today ?? new Date(startedAt).toISOString().slice(0, 10),
      holidays: input.holidays ?? null,
      hasModel: model !== undefined,
    }),
  });
}

function parseInput({ contract, standard, as, language, today, holidays }: ContractReviewInput): JsonObject {
  return {
    contract: parseText('contract', contract),
    ...(standard === undefined ? {} : { standard: parseText('standard', standard) }),
    ...(as === undefined ? {} : { as }),
    ...(language === undefined ? {} : { language }),
    ...(today === undefined ? {} : { today }),
    ...(holidays === undefined ? {} : { holidays }),
  };
}

function parseText(field: string, value: ContractText | undefined): JsonObject {
  if (typeof value?.name === 'string' && typeof value.text === 'string' && value.text.length <= maxChars)
    return { name: value.name, text: value.text };
  throw new WorkflowError({
    code: 'INPUT_INVALID',
    message: `\`${field}\` is not { name, text } with a text of at most ${maxChars.toLocaleString('en')} characters.`,
    hint: "Start the run with { contract: { name: 'lease.md', text } }.",
  });
}
