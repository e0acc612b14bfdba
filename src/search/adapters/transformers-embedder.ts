import type { Embedder, EmbedOptions } from '../../ports/embedder.ts';
import { checkInteger } from '../../util/check-integer.ts';
import { loadedOnce } from '../../util/loaded-once.ts';
import { type HandedIn, optionalPackage } from '../../util/optional-package.ts';
import { embedBatches } from '../embed-batches.ts';
import { embedderInvalid, embedderUnavailable } from '../embedder-errors.ts';
import { unitVector } from '../unit-vector.ts';

/** What `pipeline('feature-extraction', …)` of `@huggingface/transformers` gives, as far as it is used. */
export type FeatureExtraction = (
  texts: string[],
  options: { readonly pooling: 'mean'; readonly normalize: true },
) => Promise<{ readonly dims: readonly number[]; readonly data: ArrayLike<unknown> }>;

export interface TransformersEmbedderOptions {
  /** The folder that has the model's folder: `<modelPath>/Xenova/paraphrase-multilingual-MiniLM-L12-v2/…`. Needed unless `pipeline` is given. */
  readonly modelPath?: string;
  /** @default 'Xenova/paraphrase-multilingual-MiniLM-L12-v2' */
  readonly model?: string;
  /** Length of the model's vectors. @default 384 */
  readonly dimensions?: number;
  /** How the weights are stored, for example `fp32` or `q8`. Default: what the package chooses. */
  readonly dtype?: string;
  /** True: weights that are not in `modelPath` are fetched from the Hugging Face Hub. @default false */
  readonly allowDownload?: boolean;
  /** How many texts the model is given at once. @default 16 */
  readonly batchSize?: number;
  /** The package `@huggingface/transformers`, or what imports it. @default () => import('@huggingface/transformers') */
  readonly transformers?: HandedIn<TransformersPackage>;
  /** One that you have made, for example on a graphics card: instead of the package and all that is said of the model. */
  readonly pipeline?: FeatureExtraction;
}

/** The part of the package that is used, so that it is not in our types. */
export interface TransformersPackage {
  readonly env: { localModelPath: string; allowLocalModels: boolean; allowRemoteModels: boolean };
  pipeline(task: string, model: string, options: { readonly dtype?: string }): Promise<FeatureExtraction>;
}

const packageName: string = '@huggingface/transformers'; // not a literal: it is not installed here, and its types are not either

/**
 * Runs a model for sentences in this process, by the optional package `@huggingface/transformers`. The model is loaded at the first call;
 * nothing is downloaded unless `allowDownload` says so. The package keeps its paths globally: two embedders need the same `modelPath`.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for an option out of range; its `embed` `ADAPTER_MISSING` without the package,
 *   `EMBEDDER_UNAVAILABLE` when the model cannot be loaded or fails, `EMBEDDER_INVALID` when it gives something else than vectors.
 * @example transformersEmbedder({ modelPath: '/srv/models' })
 */
export function transformersEmbedder(options: TransformersEmbedderOptions): Embedder {
  const { model = 'Xenova/paraphrase-multilingual-MiniLM-L12-v2' } = options;
  const dimensions = checkInteger('dimensions', options.dimensions ?? 384, { min: 1 });
  const batchSize = checkInteger('batchSize', options.batchSize ?? 16, { min: 1 });
  const load = loadedOnce(() => loadPipeline(model, options)); // the next call may find the package or the files

  const embed = async (texts: readonly string[], { signal }: EmbedOptions): Promise<readonly Float32Array[]> => {
    const extract = options.pipeline ?? (await load());
    signal?.throwIfAborted();
    const { dims, data } = await extract([...texts], { pooling: 'mean', normalize: true }).catch((cause: unknown) => {
      throw embedderUnavailable(model, `it failed: ${describe(cause)}`, { retryable: false, cause });
    });
    if (dims.length !== 2 || dims[0] !== texts.length || data.length !== texts.length * (dims[1] ?? 0)) {
      throw embedderInvalid(model, `a tensor of ${dims.join(' × ')} came for ${texts.length} texts`);
    }
    const width = dims[1] ?? 0;
    return texts.map((_, i) => unitVector(model, Array.prototype.slice.call(data, i * width, (i + 1) * width), dimensions));
  };
  return {
    name: model,
    dimensions,
    embed: (texts, options = {}) => embedBatches(texts, embed, { dimensions, batchSize, ...options }),
  };
}

async function loadPipeline(model: string, options: TransformersEmbedderOptions): Promise<FeatureExtraction> {
  const { modelPath, dtype, allowDownload = false, transformers } = options;
  const { env, pipeline } = await optionalPackage<TransformersPackage>(packageName, () => import(packageName), transformers);
  if (modelPath !== undefined) env.localModelPath = modelPath;
  env.allowLocalModels = true;
  env.allowRemoteModels = allowDownload;
  try {
    return await pipeline('feature-extraction', model, dtype === undefined ? {} : { dtype });
  } catch (cause) {
    const place = modelPath === undefined ? 'no modelPath was given' : `modelPath is "${modelPath}"`;
    throw embedderUnavailable(model, `it cannot be loaded (${place}): ${describe(cause)}`, { retryable: false, cause });
  }
}

const describe = (error: unknown): string => (error instanceof Error ? error.message : String(error));
