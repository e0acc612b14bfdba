import { hasEnded, type RunRating } from '../../core/ports/run-store.ts';
import { newId } from '../../core/util/ids.ts';
import type { Answer, ForkRun, ResolveCall, RunDetails } from '../../server/api/calls.ts';
import type { ApiFailure } from '../../server/client/api-failure.ts';
import type { StudioApi } from '../api/studio-api.ts';
import { toFailure } from '../api/to-failure.ts';
import { isAboutContracts } from '../model/is-about-contracts.ts';
import { questionOf } from '../model/question-of.ts';
import { emptyLog } from '../model/run-log.ts';
import { RunFollower } from './run-follower.ts';
import { type AnswerState, answerKey, type PromisesState, type RunState, type StudioState } from './studio-state.ts';

/** Actions of the page. Each settles when the server has responded; errors are stored in the state. */
export interface Studio {
  readonly api: StudioApi;
  get(): StudioState;
  subscribe(listener: () => void): () => void;
  begin(token?: string): Promise<void>;
  search(text: string): Promise<void>;
  openThread(threadId: string): Promise<void>;
  newThread(workflow: string): void;
  choose(runId: string): void;
  ask(text: string): Promise<void>;
  answer(runId: string, interruptId: string, events: readonly Answer['event'][]): Promise<void>;
  resolve(runId: string, callId: string, word: ResolveCall['resolution']): Promise<void>;
  act(runId: string, what: 'cancel' | 'resume' | 'pause'): Promise<void>;
  /** Rates a run; the same rating again takes it back. */
  rate(runId: string, rating: RunRating): Promise<void>;
  fork(runId: string, options: ForkRun): Promise<void>;
  /** @throws {ApiFailure} */
  rename(threadId: string, title: string): Promise<void>;
  /** @throws {ApiFailure} */
  removeThread(threadId: string): Promise<void>;
  readPromises(workflow: string): Promise<void>;
  upload(file: File): Promise<void>;
  /** Records that the server rejects requests until then, in milliseconds since 1970. */
  hold(untilMs: number): void;
  /** Polls now, without waiting for the next interval. */
  look(): Promise<void>;
  showMoreWaiting(): Promise<void>;
  close(): void;
}

const lookEveryMs = 2_000;
const waitingStep = 100;

const start: StudioState = {
  ready: false,
  workflows: [],
  details: {},
  reports: {},
  threads: [],
  search: '',
  waiting: [],
  moreWaits: false,
  waitingShown: waitingStep,
  hasEvals: false,
  place: { runIds: [], loading: false },
  runs: {},
  documents: [],
  answers: {},
};

/** Creates the page's state, and keeps it in sync with the server. */
export function createStudio(api: StudioApi): Studio {
  return new StudioStore(api);
}

class StudioStore implements Studio {
  readonly api: StudioApi;
  #state: StudioState = start;
  readonly #listeners = new Set<() => void>();
  readonly #follower: RunFollower;
  readonly #tabs = new BroadcastChannel('agent-machines studio');
  #timer: ReturnType<typeof setInterval> | undefined;
  #looking = false;

  constructor(api: StudioApi) {
    this.api = api;
    this.#follower = new RunFollower({
      api,
      run: (id) => this.#state.runs[id],
      addRun: (info) => this.#addRun(info),
      setRun: (id, change) => this.#setRun(id, change),
      reached: () => this.#reached(),
      notReached: (trouble) => this.#notReached(trouble),
    });
    this.#tabs.addEventListener('message', ({ data }) => {
      if (typeof data === 'string') void this.#refresh(data);
      void this.look();
    });
  }

  get = (): StudioState => this.#state;

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  #set(change: Partial<StudioState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }

  #setRun(id: string, change: (run: RunState) => Partial<RunState>): void {
    const run = this.#state.runs[id];
    if (run) this.#set({ runs: { ...this.#state.runs, [id]: { ...run, ...change(run) } } });
  }

  #addRun(info: RunDetails, more: Partial<RunState> = {}): void {
    const known = this.#state.runs[info.id];
    const made: RunState = known
      ? { ...known, info, ...more }
      : {
          id: info.id,
          workflow: info.workflow,
          question: questionOf(info),
          log: emptyLog,
          entries: [],
          following: false,
          seenLive: false,
          ...more,
          info,
        };
    this.#set({ runs: { ...this.#state.runs, [info.id]: made } });
  }

  async begin(token?: string): Promise<void> {
    try {
      if (token !== undefined) await this.api.openSession(token);
      const [workflows, model] = await Promise.all([this.api.listWorkflows(), this.api.getModel().catch(() => undefined)]);
      this.#set({ workflows, ready: true, ...(model ? { model } : {}) });
      void this.#readDocuments();
      void this.#readEvals();
    } catch (cause) {
      this.#set({ refused: toFailure(cause), ready: true });
      return;
    }
    this.#timer = setInterval(() => document.visibilityState === 'visible' && void this.look(), lookEveryMs);
    await this.look();
  }

  async #readDocuments(): Promise<void> {
    try {
      this.#set({ documents: await this.api.listDocuments() });
    } catch {
      // the server has no documents, so the list stays empty
    }
  }

  async #readEvals(): Promise<void> {
    try {
      this.#set({ hasEvals: (await this.api.listEvals({ query: { limit: 0 } })).available });
    } catch {
      // an older server has no evals
    }
  }

  async showMoreWaiting(): Promise<void> {
    this.#set({ waitingShown: this.#state.waitingShown + waitingStep });
    await this.look();
  }

  async look(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    try {
      const { search } = this.#state;
      const [threads, waiting] = await Promise.all([this.api.findThreads(search), this.api.findWaiting(this.#state.waitingShown)]);
      if (search === this.#state.search) this.#set({ threads });
      this.#set({ waiting: waiting.runs.toSorted((a, b) => a.updatedAt - b.updatedAt), moreWaits: waiting.next !== undefined });
      this.#reached();
      await this.#followOthers();
    } catch (cause) {
      this.#notReached(toFailure(cause));
    } finally {
      this.#looking = false;
    }
  }

  /** Another client may have continued a resting run. */
  async #followOthers(): Promise<void> {
    for (const id of this.#state.place.runIds) {
      const run = this.#state.runs[id];
      const rests = run?.info && !run.following && !hasEnded(run.info.status);
      if (rests) await this.#refresh(id);
    }
  }

  #reached(): void {
    if (this.#state.lostSince === undefined) return;
    const { lostSince: _, ...state } = this.#state;
    this.#state = state;
    this.#set({});
  }

  #notReached({ status }: Pick<ApiFailure, 'status'>): void {
    if (status === 0 && this.#state.lostSince === undefined) this.#set({ lostSince: Date.now() });
  }

  async search(text: string): Promise<void> {
    this.#set({ search: text });
    try {
      const threads = await this.api.findThreads(text);
      const { searchFailed: _, ...state } = this.#state;
      this.#state = state;
      if (this.#state.search === text) this.#set({ threads });
    } catch (cause) {
      this.#set({ searchFailed: toFailure(cause).message });
    }
  }

  newThread(workflow: string): void {
    this.#follower.stop();
    this.#set({ place: { workflow, runIds: [], loading: false } });
    void this.#readDetails(workflow);
  }

  async openThread(threadId: string): Promise<void> {
    if (this.#state.place.threadId === threadId && !this.#state.place.trouble) return;
    this.#follower.stop();
    const item = this.#state.threads.find(({ id }) => id === threadId);
    this.#set({ place: { threadId, runIds: [], loading: true, ...(item ? { workflow: item.workflow } : {}) } });
    if (item) void this.#readDetails(item.workflow);
    try {
      const thread = await this.api.getThread({ params: { id: threadId } });
      if (this.#state.place.threadId !== threadId) return;
      for (const info of thread.turns) this.#addRun(info);
      this.#set({ place: { threadId, workflow: thread.workflow, runIds: thread.turns.map(({ id }) => id), loading: false } });
      void this.#readDetails(thread.workflow);
      for (const { id } of thread.turns.toReversed()) void this.#follower.follow(id);
    } catch (cause) {
      this.#set({ place: { ...this.#state.place, loading: false, trouble: toFailure(cause) } });
    }
  }

  choose(runId: string): void {
    this.#set({ place: { ...this.#state.place, chosen: runId } });
  }

  async #readDetails(workflow: string): Promise<void> {
    if (this.#state.details[workflow]) return;
    try {
      const details = await this.api.getWorkflow({ params: { id: workflow } });
      this.#set({ details: { ...this.#state.details, [workflow]: details } });
    } catch {
      // the server lacks the run's workflow; the journal is still readable
    }
  }

  async readPromises(workflow: string): Promise<void> {
    const set = (state: PromisesState): void => this.#set({ reports: { ...this.#state.reports, [workflow]: state } });
    const { report, reading = false } = this.#state.reports[workflow] ?? {};
    if (reading) return;
    const known = report ? { report } : {};
    set({ ...known, reading: true });
    try {
      set({ report: await this.api.getPromises({ params: { id: workflow } }), reading: false });
    } catch (cause) {
      set({ ...known, reading: false, trouble: toFailure(cause).message });
    }
  }

  async ask(text: string): Promise<void> {
    const { place, documents } = this.#state;
    if (place.workflow === undefined) return;
    const threadId = place.threadId ?? newId('t');
    const key = newId('k');
    const sent: RunState = {
      id: key,
      workflow: place.workflow,
      question: text,
      log: emptyLog,
      entries: [],
      following: true,
      seenLive: true,
    };
    this.#set({ runs: { ...this.#state.runs, [key]: sent }, place: { ...withoutChosen(place), threadId, runIds: [...place.runIds, key] } });
    try {
      const document = isAboutContracts(place.workflow) ? documents[0] : undefined;
      const settings = document ? { settings: { contract: document.id } } : {};
      const body = { workflow: place.workflow, input: { input: text }, threadId, ifBusy: 'queue', ...settings } as const;
      const info = await this.api.startRun({ body }, { idempotencyKey: key });
      this.#addRun(info, { question: text, seenLive: true });
      this.#rename(key, info.id);
      void this.#follower.follow(info.id);
      this.#tellTabs(info.id);
    } catch (cause) {
      this.#setRun(key, () => ({ trouble: toFailure(cause), following: false }));
    }
    await this.look();
  }

  /** Replaces the temporary id of a requested run with its real id. */
  #rename(from: string, to: string): void {
    const { place, runs } = this.#state;
    const { [from]: _, ...others } = runs;
    this.#set({ runs: others, place: { ...place, runIds: place.runIds.map((id) => (id === from ? to : id)) } });
  }

  async answer(runId: string, interruptId: string, events: readonly Answer['event'][]): Promise<void> {
    const [event, ...later] = events;
    if (!event || this.#state.answers[answerKey(runId, interruptId)]?.state === 'sending') return;
    const note = (state: AnswerState['state'], trouble?: ApiFailure): void =>
      this.#note(runId, interruptId, { type: String((later.at(-1) ?? event).type), state, ...(trouble ? { trouble } : {}) });
    note('sending');
    try {
      await this.api.send({ params: { id: runId }, body: { interruptId, event } });
      if (later.length > 0) await this.#answerNext(runId, interruptId, later);
      note('sent');
    } catch (cause) {
      note('refused', toFailure(cause));
    }
    this.#tellTabs(runId);
    await this.#refresh(runId);
    await this.look();
  }

  /** Sends the next event to the new question that the machine asks after an edit. Polls up to 40 times, 50 ms apart. */
  async #answerNext(runId: string, before: string, events: readonly Answer['event'][]): Promise<void> {
    const [event] = events;
    for (let tries = 0; event && tries < 40; tries++) {
      const { interrupts } = await this.api.getRun({ params: { id: runId } });
      const next = interrupts.find(({ id }) => id !== before);
      if (next) {
        this.#note(runId, next.id, { type: String(event.type), state: 'sending' });
        await this.api.send({ params: { id: runId }, body: { interruptId: next.id, event } });
        this.#note(runId, next.id, { type: String(event.type), state: 'sent' });
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  #note(runId: string, id: string, answer: AnswerState): void {
    this.#set({ answers: { ...this.#state.answers, [answerKey(runId, id)]: answer } });
  }

  async resolve(runId: string, callId: string, word: ResolveCall['resolution']): Promise<void> {
    if (this.#state.answers[answerKey(runId, callId)]?.state === 'sending') return;
    this.#note(runId, callId, { type: word.as, state: 'sending' });
    try {
      await this.api.resolveCall({ params: { id: runId }, body: { callId, resolution: word } });
      this.#note(runId, callId, { type: word.as, state: 'sent' });
    } catch (cause) {
      this.#note(runId, callId, { type: word.as, state: 'refused', trouble: toFailure(cause) });
    }
    this.#tellTabs(runId);
    await this.#refresh(runId);
    await this.look();
  }

  async act(runId: string, what: 'cancel' | 'resume' | 'pause'): Promise<void> {
    try {
      await this.api[`${what}Run`]({ params: { id: runId } });
    } catch (cause) {
      this.#setRun(runId, () => ({ trouble: toFailure(cause) }));
    }
    this.#tellTabs(runId);
    await this.#refresh(runId);
    await this.look();
  }

  async rate(runId: string, rating: RunRating): Promise<void> {
    const value = this.#state.runs[runId]?.info?.rating === rating ? null : rating;
    try {
      await this.api.rateRun({ params: { id: runId }, body: { value } });
    } catch (cause) {
      this.#setRun(runId, () => ({ trouble: toFailure(cause) }));
    }
    await this.#refresh(runId);
  }

  async fork(runId: string, options: ForkRun): Promise<void> {
    const info = await this.api.forkRun({ params: { id: runId }, body: options });
    const question = this.#state.runs[runId]?.question ?? questionOf(info);
    this.#addRun(info, { question, forkOf: runId, seenLive: true });
    const { place } = this.#state;
    this.#set({ place: { ...place, runIds: [...place.runIds, info.id], chosen: info.id } });
    void this.#follower.follow(info.id);
    await this.look();
  }

  async rename(threadId: string, title: string): Promise<void> {
    await this.api.nameThread({ params: { id: threadId }, body: { title } });
    await this.look();
  }

  async removeThread(threadId: string): Promise<void> {
    await this.api.deleteThread({ params: { id: threadId } });
    if (this.#state.place.threadId === threadId) this.newThread(this.#state.place.workflow ?? this.#state.workflows[0]?.id ?? '');
    await this.look();
  }

  async upload(file: File): Promise<void> {
    const document = await this.api.addDocument(file);
    this.#set({ documents: [document, ...this.#state.documents.filter(({ id }) => id !== document.id)] });
  }

  hold(untilMs: number): void {
    this.#set({ heldUntil: Math.max(untilMs, this.#state.heldUntil ?? 0) });
  }

  #tellTabs(runId: string): void {
    this.#tabs.postMessage(runId);
  }

  /** Reads the state of a run, and follows it if it is active. */
  async #refresh(id: string): Promise<void> {
    const run = this.#state.runs[id];
    if (!run || run.following) return;
    try {
      const info = await this.api.getRun({ params: { id } });
      const moved = info.seq !== run.info?.seq || info.status !== run.info?.status;
      this.#addRun(info, moved ? { seenLive: true } : {});
      if (moved) await this.#follower.follow(id);
    } catch (cause) {
      this.#notReached(toFailure(cause));
    }
  }

  close(): void {
    clearInterval(this.#timer);
    this.#follower.close();
    this.#tabs.close();
  }
}

const withoutChosen = ({ chosen: _, ...place }: StudioState['place']): StudioState['place'] => place;
