import type { CountedMetric, Series } from './counted-metric.ts';
import { type MetricDefinition, prometheusName } from './definitions.ts';

export interface LabelledValue {
  readonly labels: readonly string[];
  readonly value: number;
}

/** Media type of the text format of Prometheus. */
export const prometheusType = 'text/plain; version=0.0.4; charset=utf-8';

/** Writes a metric with its values in the text format of Prometheus. Empty without values. */
export function valuesText(definition: MetricDefinition, values: readonly LabelledValue[]): string {
  if (values.length === 0) return '';
  const name = prometheusName(definition);
  const lines = values.map(({ labels, value }) => `${name}${braces(pairsOf(definition, labels))} ${numberText(value)}`);
  return `${headOf(definition, name)}${lines.join('\n')}\n`;
}

/** Writes a counter or histogram in the text format of Prometheus. Empty without series. */
export function countedText({ definition, series }: CountedMetric): string {
  const all = [...series];
  const { bounds } = definition;
  if (!bounds)
    return valuesText(
      definition,
      all.map(({ labels, sum }) => ({ labels, value: sum })),
    );
  if (all.length === 0) return '';
  const name = prometheusName(definition);
  return `${headOf(definition, name)}${all.flatMap((one) => histogramLines(name, pairsOf(definition, one.labels), bounds, one)).join('\n')}\n`;
}

function histogramLines(name: string, pairs: readonly string[], bounds: readonly number[], { buckets, sum }: Series): readonly string[] {
  let count = 0;
  const lines = buckets.map((own, index) => {
    count += own;
    return `${name}_bucket${braces([...pairs, `le="${numberText(bounds[index] ?? Number.POSITIVE_INFINITY)}"`])} ${count}`;
  });
  return [...lines, `${name}_sum${braces(pairs)} ${numberText(sum)}`, `${name}_count${braces(pairs)} ${count}`];
}

const headOf = ({ help, type }: MetricDefinition, name: string): string =>
  `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ${type}\n`;

const pairsOf = ({ labels }: MetricDefinition, values: readonly string[]): readonly string[] =>
  labels.map((label, index) => `${label}="${escaped(values[index] ?? '')}"`);

const braces = (pairs: readonly string[]): string => (pairs.length === 0 ? '' : `{${pairs.join(',')}}`);

const escaped = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');

const numberText = (value: number): string => (value === Number.POSITIVE_INFINITY ? '+Inf' : String(value));
