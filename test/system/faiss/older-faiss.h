// FAISS before 1.7.4, as Debian 12 has it, keeps this name in a class.
#include <faiss/Index.h>
#if FAISS_VERSION_MAJOR * 10000 + FAISS_VERSION_MINOR * 100 + FAISS_VERSION_PATCH < 10704
namespace faiss {
using idx_t = Index::idx_t;
}
#endif
