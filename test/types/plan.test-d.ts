// Checked by `tsc --noEmit`, never run: what must not compile stands under `@ts-expect-error`.
import type { Json, JsonObject, ModelToolCall, Tool, ToolSpec, ValidatedCall } from 'agent-machines';
import { executeCalls, executePlan, type PlanStep, parsePlan, parseToolCall, type ValidatedPlan } from 'agent-machines/tools';

declare const text: string;
declare const json: Json;
declare const untrusted: unknown;
declare const steps: readonly PlanStep[];
declare const modelCall: ModelToolCall;
declare const tools: readonly Tool[];
declare const specs: readonly ToolSpec[];

const plan: ValidatedPlan = parsePlan(text, { tools });
const call: ValidatedCall = parseToolCall(modelCall, { tools });

// what the parsers make can be executed
void executePlan(plan, { tools });
void executePlan(parsePlan({ steps: [] }, { tools: specs }), { tools });
void executeCalls([call], { tools });

// an unvalidated plan cannot be executed
// @ts-expect-error a text is not a plan
void executePlan(text, { tools });
// @ts-expect-error anything that came from JSON is not a plan
void executePlan(json, { tools });
// @ts-expect-error what nobody has looked at is not a plan
void executePlan(untrusted, { tools });
// @ts-expect-error an object in the form of a plan is not one that passed the gate
void executePlan({ steps }, { tools });
// @ts-expect-error neither are the steps of one
void executePlan(plan.steps, { tools });
// @ts-expect-error the mark cannot be written by hand
void executePlan({ steps, validated: true }, { tools });
// @ts-expect-error nor guessed
void executePlan({ steps, [Symbol('validated')]: true }, { tools });
// @ts-expect-error a plan that is still on its way is not a plan
void executePlan(Promise.resolve(plan), { tools });

// an unvalidated call cannot be executed
// @ts-expect-error a call as the model wrote it is only text
void executeCalls([modelCall], { tools });
// @ts-expect-error an object in the form of a call is not one that was checked
void executeCalls([{ id: 'call_1', name: 'search', args: {} }], { tools });
// @ts-expect-error one of them is enough to refuse all
void executeCalls([call, modelCall], { tools });
// @ts-expect-error what nobody has looked at is not a list of calls
void executeCalls(untrusted, { tools });
// @ts-expect-error the mark cannot be written by hand
void executeCalls([{ id: 'call_1', name: 'search', args: {}, validated: true }], { tools });

// the mark of a plan is not that of a call
// @ts-expect-error a call is not a plan
void executePlan(call, { tools });
// @ts-expect-error a plan is not a call
void executeCalls([plan], { tools });

// the executor needs tools that it can run
// @ts-expect-error a specification has nothing to execute
void executePlan(plan, { tools: specs });

// what was checked stays as it was
// @ts-expect-error the steps of a plan cannot be replaced
plan.steps = [];
// @ts-expect-error nor added to
plan.steps.push({ step_id: 1, tool: 'search' });
for (const step of plan.steps) {
  // @ts-expect-error nor changed
  step.tool = 'delete_file';
}
// @ts-expect-error the name of a call cannot be changed
call.name = 'delete_file';
// @ts-expect-error nor its arguments
call.args.path = '/';

// the gate takes texts and objects, and nothing that may be neither
// @ts-expect-error a list is not a plan
parsePlan([{ step_id: 1, tool: 'search' }], { tools });
// @ts-expect-error neither is what nobody has looked at
parsePlan(untrusted, { tools });
// @ts-expect-error a plan cannot be checked without the tools that it may use
parsePlan(text, {});
// @ts-expect-error nobody else makes plans
parsePlan(text, { tools, origin: 'executor' });

// arguments are JSON
const args: JsonObject = call.args;
void args;
