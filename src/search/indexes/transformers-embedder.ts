import { messageOf } from '../../core/errors/message-of.ts';
import type { Embedder, EmbedOptions } from '../../core/ports/embedder.ts';
import { checkInteger } from '../../core/util/check-integer.ts';
import { loadedOnce } from '../../core/util/loaded-once.ts';
import { optionalPackage, type PackageOrLoader } from '../../core/util/optional-package.ts';
import { embedBatches } from '../rank/embed-batches.ts';
import { embedderInvalid, embedderUnavailable } from '../rank/embedder-errors.ts';
import { unitVector } from '../rank/unit-vector.ts';

/** The used part of the result of `pipeline('feature-extraction', …)` from `@huggingface/transformers`. */
export type FeatureExtraction = (
  texts: string[],
  options: { readonly pooling: 'mean'; readonly normalize: true },
) => Promise<{ readonly dims: readonly number[]; readonly data: ArrayLike<unknown> }>;

export interface TransformersEmbedderOptions {
  /** The folder with the model's folder: `<modelPath>/Xenova/paraphrase-multilingual-MiniLM-L12-v2/…`. Required without `pipeline`. */
  readonly modelPath?: string;
  /** @default 'Xenova/paraphrase-multilingual-MiniLM-L12-v2' */
  readonly model?: string;
  /** Length of the model's vectors. @default 384 */
  readonly dimensions?: number;
  /** Storage type of the weights, for example `fp32` or `q8`. Default: the package's choice. */
  readonly dtype?: string;
  /** Allows downloads from the Hugging Face Hub of weights that are not in `modelPath`. @default false */
  readonly allowDownload?: boolean;
  /** Number of texts per call of the model. @default 16 */
  readonly batchSize?: number;
  /** The package `@huggingface/transformers`, or a function that imports it. @default () => import('@huggingface/transformers') */
  readonly transformers?: PackageOrLoader<TransformersPackage>;
  /** A pipeline of your own, for example on a graphics card. Replaces the package and all options about the model. */
  readonly pipeline?: FeatureExtraction;
}

/** The used part of the package, to keep the package out of our types. */
export interface TransformersPackage {
  readonly env: { localModelPath: string; allowLocalModels: boolean; allowRemoteModels: boolean };
  pipeline(task: string, model: string, options: { readonly dtype?: string }): Promise<FeatureExtraction>;
}

const packageName: string = '@huggingface/transformers'; // not a literal: neither the package nor its types are installed here

/**
 * Runs a sentence model in this process, with the optional package `@huggingface/transformers`. Loads the model at the first call;
 * downloads nothing without `allowDownload`. The package keeps its paths globally, so two embedders need the same `modelPath`.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for an option out of range. Its `embed` throws `ADAPTER_MISSING` without the package,
 * `EMBEDDER_UNAVAILABLE` if the model cannot be loaded or fails, and `EMBEDDER_INVALID` if it returns something other than vectors.
 * @example transformersEmbedder({ modelPath: '/srv/models' })
 */
export function transformersEmbedder(options: TransformersEmbedderOptions): Embedder {
  const { model = 'Xenova/paraphrase-multilingual-MiniLM-L12-v2' } = options;
  const dimensions = checkInteger('dimensions', options.dimensions ?? 384, { min: 1 });
  const batchSize = checkInteger('batchSize', options.batchSize ?? 16, { min: 1 });
  // not cached after a failure: the next call may find the package or the files
  const load = loadedOnce(() => loadPipeline(model, options));

  const embed = async (texts: readonly string[], { signal }: EmbedOptions): Promise<readonly Float32Array[]> => {
    const extract = options.pipeline ?? (await load());
    signal?.throwIfAborted();
    const { dims, data } = await extract([...texts], { pooling: 'mean', normalize: true }).catch((cause: unknown) => {
      throw embedderUnavailable(model, `it failed: ${messageOf(cause)}`, { retryable: false, cause });
    });
    if (dims.length !== 2 || dims[0] !== texts.length || data.length !== texts.length * (dims[1] ?? 0)) {
      throw embedderInvalid(model, `it has a tensor of ${dims.join(' × ')} for ${texts.length} texts`);
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
    const place = modelPath === undefined ? 'without a modelPath' : `modelPath is "${modelPath}"`;
    throw embedderUnavailable(model, `it cannot be loaded (${place}): ${messageOf(cause)}`, { retryable: false, cause });
  }
}
