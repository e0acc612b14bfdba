import type { MachineContext } from 'xstate';
import type { UndecidedReason } from '../../core/ports/promise-report.ts';
import { spread } from './candidates.ts';
import type { Question } from './decide.ts';
import type { Predicate } from './invariant.ts';
import type { Knowledge } from './knowledge.ts';
import { type Configuration, type MoveLabel, type PlaceGraph, toMoment } from './place-graph.ts';
import { answerOf, type ProbedPredicate } from './probe.ts';
import { addReads, emptyReads, recording } from './read-tree.ts';

const maxStates = 400;
const maxMoments = 400;
/** Most questions of a predicate whose answers are combined freely. */
const maxQuestions = 8;

/** Returns the reasons why a property's predicates prove nothing: questions that are never true, and conditions that nothing breaks. */
export function emptyProofs(
  question: Question<MachineContext>,
  predicates: readonly ProbedPredicate[],
  knowledge: Knowledge,
  moments: readonly MomentParts[],
): readonly UndecidedReason[] {
  const asked = question.predicates.flatMap((predicate) => predicates.filter((probed) => probed.predicate === predicate));
  const ofCondition = (predicate: Predicate | undefined, answer: '0' | '1', message: string): readonly UndecidedReason[] => {
    const probed = asked.find((each) => each.predicate === predicate);
    return !probed || canAnswer(answer, probed, knowledge, moments) ? [] : [{ code: 'NEVER_BREAKABLE', message, hint }];
  };
  return [
    ...asked.flatMap((probed) => neverTrue(probed, moments)),
    ...ofCondition(question.breakable, '0', 'No value that was tried breaks it, at any moment.'),
    ...ofCondition(question.reachable, '1', 'No value that was tried meets the condition, at any moment.'),
  ];
}

/** Configuration of a moment, and the move that led to it. */
export type MomentParts = readonly [Configuration, MoveLabel | undefined];

/** Returns every kind of moment: its configuration, and the move that led there. */
export function momentsOf(graph: PlaceGraph): readonly MomentParts[] {
  const found = new Map<number, MomentParts>();
  for (const start of graph.starts) found.set(-1 - graph.configurationAt.at(start), [graph.configuration(start), undefined]);
  const width = graph.labels.length + 1;
  for (let place = 0; place < graph.size; place++) {
    const at = graph.configurationAt.at(place);
    if (!found.has(-1 - at)) found.set(-1 - at, [graph.configuration(place), undefined]);
  }
  for (let move = 0; move < graph.moveCount; move++) {
    const target = graph.target(move);
    const key = graph.configurationAt.at(target) * width + graph.labelIndex(move);
    if (!found.has(key)) found.set(key, [graph.configuration(target), graph.label(move)]);
  }
  return [...found.values()];
}

function neverTrue(probed: ProbedPredicate, moments: readonly MomentParts[]): readonly UndecidedReason[] {
  return probed.questions.flatMap(({ name, answer }) => {
    if (!/^(?:isIn|took)\(/.test(name) || moments.some(([configuration, label]) => answer(configuration, label) === true)) return [];
    return [
      {
        code: 'NEVER_ASKED' as const,
        message: `${name} is true at no moment of any run.`,
        hint: 'Correct the name, or mend the machine: a state or an edge that the property is about is never reached.',
      },
    ];
  });
}

const hint = 'Give the deciding values of the state as `values` of the exploration, such as { rate: [0.3] }, or correct the condition.';

/** Returns true if some values bring a condition to an answer, at real moments or at any combination of what a moment can be. */
function canAnswer(wanted: '0' | '1', probed: ProbedPredicate, knowledge: Knowledge, moments: readonly MomentParts[]): boolean {
  const { probes } = probed;
  const asked = probes.map((probe) => ({ probe, states: knowledge.statesFor(probe, maxStates) }));
  if (asked.some(({ probe, states }) => states.some((state) => probe.ask(state) === wanted))) return true;
  // it was asked about every possible value, so that no other can do so
  const readers = asked.filter(({ probe: { reads } }) => reads.whole || reads.members.size > 0);
  if (readers.length > 0 && readers.every(({ probe, states }) => knowledge.isExhaustive(probe, states.length))) return true;
  const some = moments.length > maxMoments ? moments.filter((_, at) => at % Math.ceil(moments.length / maxMoments) === 0) : moments;
  const places = [...new Map(some.map(([configuration]) => [configuration.where, configuration])).values()];
  const labels = [...new Set(some.map(([, label]) => label))];
  const canBe = (state: MachineContext): boolean =>
    places.some((configuration) => labels.some((label) => answersFreely(wanted, probed, configuration, label, state)));
  const reads = emptyReads();
  for (const probe of probes) addReads(reads, probe.reads);
  if (canBe(recording(knowledge.sample, reads))) return true; // also reads what is read at no real moment
  const keys = reads.whole ? knowledge.keys : [...reads.members.keys()];
  const states = spread(
    keys.map((key) => [key, knowledge.candidates.of(key)]),
    maxStates,
  );
  return states.some((made) => canBe({ ...knowledge.sample, ...made }));
}

/** Asks with every combination of answers to `isIn` and `took`. */
function answersFreely(
  wanted: '0' | '1',
  probed: ProbedPredicate,
  configuration: Configuration,
  label: MoveLabel | undefined,
  state: MachineContext,
): boolean {
  const moment = toMoment(configuration, state, label);
  const answers = new Map<string, boolean>();
  const open: string[] = [];
  for (let count = 0; count < 2 ** maxQuestions; count++) {
    const answer = answerOf(() =>
      probed.askFreely(moment, (name) => {
        const known = answers.get(name);
        if (known !== undefined) return known;
        answers.set(name, false);
        open.push(name);
        return false;
      }),
    );
    if (answer === wanted) return true;
    // the next combination: the last question with the answer false gets true, later ones are forgotten
    let last = open.pop();
    while (last !== undefined && answers.get(last) === true) {
      answers.delete(last);
      last = open.pop();
    }
    if (last === undefined) return false;
    answers.set(last, true);
    open.push(last);
  }
  return false;
}
