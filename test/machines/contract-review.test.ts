// The review of a contract as a machine: its paths, its promises, and the findings of a model.
import { createRuntime, type JsonObject, lintWorkflow, memoryStore, type RunEvent, toGraph } from 'agent-machines';
import { type ContractReviewInput, contractReview } from 'agent-machines/machines/contract-review';
import { exploreOptions, invariants, invariantsWithoutModel } from 'agent-machines/machines/contract-review/testing';
import { scriptedModel } from 'agent-machines/models';
import { edgeCoverage, exploreMachine, mutationScore } from 'agent-machines/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const text = `AGREEMENT

This Agreement is made as of 2 March 2026 between Alder Ltd. ("Seller") and Birch Ltd. ("Buyer").

1. Price. The Seller may change the price at any time.
2. Visits. The Buyer shall let the Seller enter its rooms at night
without a warning.
3. Delivery. The Seller shall deliver by 15 June 2026.
`;
const contract = { name: 'sale.md', text };
const finding = (quote: string, more: JsonObject = {}): JsonObject => ({
  title: 'Entry at night',
  quote,
  reason: 'Nobody expects it.',
  burdens: 'Buyer',
  ...more,
});
const visits = 'The Buyer shall let the Seller enter its rooms at night without a warning.';
const says = (...findings: readonly JsonObject[]) => ({ reply: JSON.stringify({ findings }) });

async function review(replies: Parameters<typeof scriptedModel>[0] | undefined, more: Partial<ContractReviewInput> = {}) {
  const model = replies === undefined ? undefined : scriptedModel(replies);
  const runtime = createRuntime({ store: memoryStore() });
  const run = runtime.start(contractReview(model === undefined ? {} : { model, maxRepairs: 0 }), { contract, as: 'Buyer', ...more });
  const result = await run.result;
  const events = (await runtime.history(run.id)).flatMap((entry) => entry.events) as readonly RunEvent[];
  const edges = events.flatMap((one) => (one.type === 'edge' ? [`${one.from} -> ${one.to}`] : []));
  return { result, edges, events, model };
}

describe('a review without a model', () => {
  it('is made by rules', async () => {
    const { result, edges } = await review(undefined);
    expect(edges).toEqual(['apply_rules -> done']);
    expect(result).toMatchObject({
      status: 'done',
      output: {
        byModel: false,
        dropped: 0,
        error: null,
        review: { as: 'Buyer', findings: [{ kind: 'unilateral-change', side: 'against' }] },
      },
    });
  });

  it.each([
    [{ contract: { name: 'x.md', text: 'Bake the bread.' } }, 'DOCUMENT_INVALID'],
    [{ as: 'Tenant' }, 'INPUT_INVALID'],
    [{ today: 'soon' }, 'INPUT_INVALID'],
  ])('stops for %j', async (input, code) => {
    const { result, edges } = await review(undefined, input);
    expect(edges).toEqual(['apply_rules -> stopped']);
    expect(result).toMatchObject({ status: 'failed', error: { code }, output: { review: null, error: { code } } });
  });

  it('refuses an input that is no text before there is a run', async () => {
    await expect(review(undefined, { contract: { name: 'x.md' } as never })).rejects.toMatchObject({ code: 'INPUT_INVALID' });
  });
});

describe('a review with a model', () => {
  it('adds findings with a verbatim quote, also across line breaks', async () => {
    const { result, edges, model } = await review([says(finding(visits))]);
    expect(edges).toEqual(['apply_rules -> ask_model', 'ask_model -> check_findings', 'check_findings -> done']);
    expect(result).toMatchObject({
      output: {
        byModel: true,
        dropped: 0,
        review: {
          findings: [
            { kind: 'unilateral-change', from: 'rules' },
            {
              kind: 'model',
              from: 'model',
              title: 'Entry at night',
              burdens: 'Buyer',
              side: 'against',
              passage: { label: 'Article 2', text: visits },
            },
          ],
        },
      },
    });
    expect(model?.requests[0]?.messages.at(-1)?.content).toContain(text);
  });

  it('drops findings without one, and says so', async () => {
    const { result } = await review([
      says(
        finding('The Buyer shall let the Seller enter its rooms at noon.'),
        finding('The Seller may … enter its rooms at night'),
        finding('The Seller may change the price at any time. The Buyer shall let the Seller enter'),
        finding('at night'),
        finding(visits, { reason: ' ' }),
      ),
    ]);
    expect(result).toMatchObject({ output: { dropped: 5, review: { findings: [{ from: 'rules' }] } } });
    expect(JSON.stringify(result)).toContain('5 findings of the model had no verbatim quote and were dropped.');
  });

  it('explains a finding of the rules instead of repeating it', async () => {
    const { result } = await review([says(finding('The Seller may change the price at any time.'))]);
    expect(result).toMatchObject({ output: { review: { findings: [{ kind: 'unilateral-change', explanation: 'Nobody expects it.' }] } } });
    expect(result).not.toMatchObject({ output: { review: { findings: [{}, {}] } } });
  });

  it('does not believe in a party that the contract does not have', async () => {
    const { result } = await review([says(finding(visits, { burdens: 'Landlord' }))]);
    const added = result.status === 'done' ? result.output.review?.findings.find(({ from }) => from === 'model') : undefined;
    expect(added?.title).toBe('Entry at night');
    expect(added).not.toHaveProperty('burdens');
  });

  it('keeps the review by rules if the model fails', async () => {
    const { result, edges } = await review([{ reply: 'I cannot.' }]);
    expect(edges).toEqual(['apply_rules -> ask_model', 'ask_model -> stopped']);
    expect(result).toMatchObject({
      status: 'failed',
      error: { code: 'MODEL_OUTPUT_INVALID' },
      output: { byModel: false, review: { findings: [{ kind: 'unilateral-change' }] } },
    });
  });

  it('takes every edge it should, and only quotes of the contract get through, whatever the model says', async () => {
    const coverage = edgeCoverage(toGraph(contractReview().machine));
    const quotes = fc.oneof(
      fc.constantFrom(visits, 'The Seller shall deliver by 15 June 2026.', 'rooms at night without a warning.'),
      fc.string({ maxLength: 60 }),
    );
    const reply = fc.oneof(
      fc.array(quotes, { maxLength: 4 }).map((all) => JSON.stringify({ findings: all.map((quote) => finding(quote)) })),
      fc.string({ maxLength: 20 }),
    );
    await fc.assert(
      fc.asyncProperty(reply, async (said) => {
        const { result, edges, events } = await review([{ reply: said }]);
        coverage.add(events);
        expect(edges.at(-1)).toMatch(/check_findings -> done|ask_model -> stopped/);
        const output = result.status === 'done' ? result.output : undefined;
        for (const { from, passage } of output?.review?.findings ?? [])
          if (from === 'model') expect(text.replace(/\s+/g, ' ')).toContain(passage.text.replace(/\s+/g, ' '));
      }),
      { numRuns: 60 },
    );
    for (const input of [{}, { as: 'Tenant' }]) coverage.add((await review(undefined, input)).events);
    // the node that checks findings has no way to fail
    expect(coverage.missing()).toEqual(['check_findings --error--> stopped']);
  });
});

describe('the machine', () => {
  const withModel = () => contractReview({ model: scriptedModel([]) });

  it('has no lint issue', () => {
    expect(lintWorkflow(withModel().machine)).toEqual([]);
  });

  it.each([
    ['with a model', withModel, invariants],
    ['without a model', () => contractReview(), invariantsWithoutModel],
  ])('keeps its promises %s', (_, make, promises) => {
    const exploration = exploreMachine(make(), exploreOptions);
    expect(exploration).toMatchObject({ complete: true, failures: [], stuck: [] });
    for (const promise of promises) expect([promise.name, promise.check(exploration).verdict]).toEqual([promise.name, 'holds']);
  });

  it('has promises that find a wrong edge', async () => {
    const score = async (make: typeof withModel, promises: typeof invariants): Promise<readonly string[]> => {
      const { survived } = await mutationScore(make(), (mutant) => {
        const exploration = exploreMachine(mutant, exploreOptions);
        const { failures, stuck } = exploration;
        return [...failures, ...stuck, ...promises.filter((promise) => promise.check(exploration).verdict !== 'holds')];
      });
      return survived.map(({ description }) => description);
    };
    const [one, other] = [await score(withModel, invariants), await score(() => contractReview(), invariantsWithoutModel)];
    // promises are about states; the tests above read the output
    expect(one.filter((mutant) => other.includes(mutant))).toEqual(['output: output dropped']);
  });
});
