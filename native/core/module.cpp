// The extension: all kernels whose files were compiled into it.
#include "core/bind.hpp"

NB_MODULE(_native, module) {
    module.doc() = "The compiled kernels. shoal.kernels has their wrappers and readable twins.";
    for (const auto& [name, bind] : shoal::kernels()) bind(module);
}
