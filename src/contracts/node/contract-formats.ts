import { isObject } from '../../core/util/is-object.ts';
import { invalidDocument } from '../../search/documents/document-errors.ts';
import type { DocumentFormats } from '../../search/documents/document-formats.ts';

/**
 * Contract formats in addition to those of `loadDocument`. `.json` is a list of articles as `agent-machines articles --json` prints it, or
 * `{ title, articles }`. Pass them to `loadDocument` and `folderDocuments`; `loadContract` includes them.
 *
 * @example await folderDocuments({ root: './contracts', formats: contractFormats, extensions: ['.json', '.docx'] })
 */
export const contractFormats: DocumentFormats = { '.json': ({ name, text }) => contractText(name, text) };

function contractText(name: string, json: string): string {
  const value = parse(name, json);
  const isList = Array.isArray(value);
  if (!isList && !(isObject(value) && Array.isArray(value.articles))) throw notUnderstood(name, 'has no list of articles');
  const list: readonly unknown[] = isList ? value : (value.articles as readonly unknown[]);
  const title = isList ? '' : stringAt(name, value, ['title', '제목']);
  const parts: string[] = title === '' ? [] : [title];
  const addenda = new Set<string>();
  let part = 'body';
  for (const [index, article] of list.entries()) {
    const where = `article ${index + 1}`;
    if (!isObject(article)) throw notUnderstood(name, `has a value at ${where} that is not an object`);
    const label = labelOf(name, article, where);
    const next = stringAt(name, article, ['part']) || 'body';
    if (next === 'paragraph') {
      parts.push(textOf(name, article, where));
      continue;
    }
    if (!['body', 'addenda', 'exhibit'].includes(next)) throw notUnderstood(name, `has the unknown part "${next}" at ${where}`);
    // a statute has one block of addenda per amendment, each starting again at 제1조
    const isNewBlock = part !== 'addenda' || addenda.has(label);
    if (next === 'addenda' && isNewBlock) {
      addenda.clear();
      if (!/^부\s*칙|^addend/i.test(label)) parts.push('부칙');
    }
    if (next === 'addenda') addenda.add(label);
    part = next;
    parts.push(printArticle(name, article, label, where));
  }
  return parts.join('\n\n');
}

type Fields = Readonly<Record<string, unknown>>;

function printArticle(name: string, article: Fields, label: string, where: string): string {
  const title = stringAt(name, article, ['title', '제목']);
  const text = textOf(name, article, where);
  const deleted = article.deleted ?? false;
  if (typeof deleted !== 'boolean') throw notUnderstood(name, `has a "deleted" at ${where} that is not a boolean`);
  const heading = title === '' ? label : /[()]/.test(title) && !/^제\s?\d/.test(label) ? `${label} ${title}` : `${label} (${title})`;
  if (deleted) return `${heading} ${text || '삭제'}`;
  if (text === '' && title === '') throw notUnderstood(name, `has neither title nor text at ${where}`);
  return `${heading}\n${text}`;
}

function labelOf(name: string, article: Fields, where: string): string {
  const label = article.label ?? article.number ?? article.조;
  if (typeof label === 'number' && Number.isSafeInteger(label) && label >= 1) return `제${label}조`;
  if (typeof label !== 'string' || label.trim() === '' || /[\r\n]/.test(label)) throw notUnderstood(name, `has no label at ${where}`);
  return /^\d+$/.test(label.trim()) ? `제${label.trim()}조` : label.trim();
}

function textOf(name: string, article: Fields, where: string): string {
  if (article.paragraphs === undefined) return stringAt(name, article, ['text', 'content', '내용']);
  const { paragraphs } = article;
  if (!Array.isArray(paragraphs)) throw notUnderstood(name, `has a "paragraphs" at ${where} that is not a list`);
  return paragraphs
    .map((paragraph: unknown) => {
      if (typeof paragraph === 'string') return paragraph;
      if (!isObject(paragraph)) throw notUnderstood(name, `has a paragraph at ${where} that is neither text nor an object`);
      return `${stringAt(name, paragraph, ['label'])} ${stringAt(name, paragraph, ['text', 'content'])}`.trim();
    })
    .join('\n');
}

function stringAt(name: string, fields: Fields, keys: readonly string[]): string {
  const key = keys.find((key) => fields[key] !== undefined && fields[key] !== null);
  const value = key === undefined ? '' : fields[key];
  if (typeof value !== 'string') throw notUnderstood(name, `has a "${key}" that is not a text`);
  return value.trim();
}

function parse(name: string, json: string): unknown {
  try {
    return JSON.parse(json.replace(/^\uFEFF/, ''));
  } catch (cause) {
    throw invalidDocument(name, 'is not JSON', 'Correct the JSON, or rename the file to .txt.', cause);
  }
}

const notUnderstood = (name: string, what: string) =>
  invalidDocument(
    name,
    what,
    'Pass the output of `agent-machines articles --json`, [{ label, part, title, deleted, text }], ' +
      'or { title, articles: [{ label | number | 조, title, text | content | paragraphs }] }.',
  );
