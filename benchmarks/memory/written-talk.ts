import { readFileSync } from 'node:fs';
import type { TranscriptMessage } from 'agent-machines/memory';
import { type LongTalk, longTalk, type RecallQuestion, type TalkLanguage } from './long-talk.ts';

/** Talks on which the mechanism was developed, and those of which only the figures were looked at. */
export type TalkPart = 'development' | 'check';

/**
 * A talk of two friends that was written by hand, with questions about it in the kinds and proportions in which annotators ask about real
 * ones. Between its sessions stand those of a made-up talk, so that it has `turns` turns.
 */
export function writtenTalk(language: TalkLanguage, part: TalkPart, turns: number): LongTalk {
  const file = new URL(`talks/${language}-${part}.txt`, import.meta.url);
  const written = readTalk(readFileSync(file, 'utf8'));
  const [first = '', second = ''] = new Set(written.messages.map(({ speaker = '' }) => speaker));
  const between = longTalk(language, turns - Math.floor(written.messages.length / 2), part === 'development' ? 1 : 11);
  const begun = written.messages[0]?.at ?? 0;
  const started = between.messages[0]?.at ?? 0;
  const others = between.messages.map(
    (message): TranscriptMessage => ({
      ...message,
      id: `other-${message.id}`,
      at:
        begun + dayMs + Math.floor((message.at - started) / sessionGapMs) * spread * sessionGapMs + ((message.at - started) % sessionGapMs),
      speaker: message.role === 'user' ? first : second,
    }),
  );
  const messages = [...written.messages, ...others].sort((a, b) => a.at - b.at);
  return { language, messages, questions: written.questions };
}

const dayMs = 86_400_000;
/** Sessions of the made-up talk are this far apart; so spread, they cover the time of the written one. */
const sessionGapMs = 3 * dayMs;
const spread = 5;

/** `# date`, `Name [label]: what is said`, `? type labels: question`. */
function readTalk(text: string): Pick<LongTalk, 'messages' | 'questions'> {
  const messages: TranscriptMessage[] = [];
  const questions: RecallQuestion[] = [];
  let at = 0;
  let first: string | undefined;
  for (const line of text.trim().split('\n')) {
    const asked = /^\? (?<type>\S+) (?<labels>[^:]+): (?<question>.+)$/.exec(line)?.groups;
    const said = /^(?<speaker>[^\s:]+)(?: \[(?<label>\w+)\])?: (?<words>.+)$/.exec(line)?.groups;
    if (line.startsWith('# ')) at = Date.parse(`${line.slice(2).replace(' ', 'T')}:00+09:00`);
    else if (asked) {
      const { type, labels = '', question = '' } = asked;
      questions.push({ type: type as RecallQuestion['type'], question, evidence: labels.split(' ') });
    } else if (said) {
      const { speaker = '', label = `m${messages.length}`, words = '' } = said;
      first ??= speaker;
      messages.push({ id: label, role: speaker === first ? 'user' : 'assistant', speaker, text: words, at });
      at += 60_000;
    } else throw new Error(`Not a line of a conversation: ${line}`);
  }
  return { messages, questions };
}
