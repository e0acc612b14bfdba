import type { ChatModel, ChatRequest } from '../../core/ports/chat-model.ts';
import type { Tool } from '../../core/ports/tool.ts';
import { checkOptions, optionInvalid } from '../../core/util/check-options.ts';
import { didYouMean } from '../../core/util/nearest-name.ts';
import { optionKinds } from '../factory/check-agent-options.ts';

/** Settings of one step of a tool loop: of one model call and of the tool calls in its reply. */
export interface StepSettings {
  /** Model of this step. Default: the agent's. */
  readonly model?: ChatModel;
  /** Instructions of this step. Default: the agent's. */
  readonly instructions?: string;
  /** Names of the tools that this step may call; a call of another one is an error. Default: all tools of the run. */
  readonly activeTools?: readonly string[];
  /** `required`: the model must call a tool; with one active tool, that one. `none`: it must answer. @default 'auto' */
  readonly toolChoice?: ChatRequest['toolChoice'];
}

const kinds = {
  model: optionKinds.objectWith('a ChatModel', 'generate'),
  instructions: optionKinds.text,
  activeTools: optionKinds.listOf('names of tools', (value) => typeof value === 'string'),
  toolChoice: optionKinds.oneOf('auto', 'none', 'required'),
};

/**
 * Checks the settings that an agent's `prepareStep` has returned.
 *
 * @param tools All tools of the agent.
 * @throws {WorkflowError} `OPTION_INVALID` for unknown settings, values of another type and unknown tools.
 */
export function checkStepSettings(settings: unknown, tools: readonly Tool[]): StepSettings {
  if (settings === undefined) return {};
  if (settings instanceof Promise) throw optionInvalid('prepareStep returned a promise.', 'Make it a function without `async`.');
  checkOptions('prepareStep', settings, kinds);
  const checked: StepSettings = settings as StepSettings;
  const names = tools.map(({ name }) => name);
  const unknown = checked.activeTools?.find((name) => !names.includes(name));
  if (unknown === undefined) return checked;
  throw optionInvalid(
    `prepareStep activates the tool "${unknown}", which the agent does not have.`,
    `${didYouMean(unknown, names)}There is: ${names.join(', ')}.`,
  );
}
