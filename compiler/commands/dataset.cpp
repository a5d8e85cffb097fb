// SPDX-License-Identifier: Apache-2.0
/// \file
/// dataset: packs pictures.
#include "dataset/dataset.h"

#include <iostream>
#include <memory>

#include "command.h"
#include "tensor/error.h"

namespace fovea {

Action describe_dataset(CLI::App& app) {
  struct Options {
    DatasetOptions dataset;
    std::string size;
  };
  const auto o = std::make_shared<Options>();
  o->dataset.output = "output/input.bin";
  app.add_option("sources", o->dataset.sources, "A folder of pictures, or CIFAR-10 binary batches")
      ->type_name("PATH")
      ->required();
  app.add_option("-o,--output", o->dataset.output, "The file; a .h is a header in C (default: output/input.bin)")
      ->type_name("FILE");
  app.add_option("--per-class", o->dataset.per_class, "Pictures a class (default: as many as the smallest class has)")
      ->type_name("N");
  app.add_option("--size", o->size, "Stretch the pictures to this height and width")->type_name("HxW");
  app.add_option("--channels", o->dataset.channels, "3, or 1 for grey (default: 3)")->type_name("1|3");
  return [o] {
    if (!o->size.empty()) {
      o->dataset.size = parse_picture_size(o->size);
      if (!o->dataset.size) {
        throw UsageError("--size " + o->size + ": not a height and width, such as 32x32, of 1 to 4096");
      }
    }
    if (o->dataset.channels != 1 && o->dataset.channels != 3) {
      throw UsageError("--channels " + std::to_string(o->dataset.channels) + ": 1 and 3 work");
    }
    const DatasetReport report = write_dataset(o->dataset);
    std::cout << o->dataset.output.string() << ": " << report.classes << " classes, " << report.per_class
              << " pictures each, " << report.size.height << "x" << report.size.width
              << (report.channels == 1 ? ", grey" : "") << "\n";
    return kDone;
  };
}

}  // namespace fovea
