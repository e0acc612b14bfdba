/** Words in the names of models that do not talk: they make vectors, rank, hear, speak, draw or judge. */
const otherWork =
  /(?:^|[^a-z])(?:embed(?:der|dings?|dinggemma)?|bge|gte|e5(?!\d)|minilm|mpnet|colbert|arctic-embed|re-?rank(?:er|ing)?|whisper|parakeet|tts|kokoro|bark|stable-diffusion|sdxl|flux|llama-?guard|shieldgemma|clip|siglip)(?![a-z])/i;

/** A draft model of llama.cpp, a projector for pictures. */
const parts = /(?:^|[^a-z])(?:mmproj|draft)(?![a-z])/i;

/** False for a model whose name says that it does not talk; and for one that another machine computes (`:cloud`). */
export const isChatModelId = (id: string): boolean => !otherWork.test(id) && !parts.test(id) && !/[:-]cloud$/i.test(id);
