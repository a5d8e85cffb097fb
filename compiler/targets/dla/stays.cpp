// SPDX-License-Identifier: Apache-2.0
/// \file
/// Looks at each command's tensors as the command sees them.
#include "stays.h"

#include <algorithm>
#include <numeric>

#include "spec/dla_planes.h"

namespace fovea {
namespace {

/// Channels, rows and columns of [1, C, H, W] or [1, C]; of other ranks all behind C in one row.
struct Planes {
  std::uint32_t channels, rows, cols;

  std::uint32_t bytes() const { return rows * cols; }
};

Planes planes_of(const TensorType& type) {
  const auto at = [&](std::size_t i) { return static_cast<std::uint32_t>(type.shape[i]); };
  if (type.shape.size() == 4) {
    return {at(1), at(2), at(3)};
  }
  Planes planes{at(1), 1, 1};
  for (std::size_t i = 2; i < type.shape.size(); ++i) {
    planes.cols *= at(i);
  }
  return planes;
}

/// A command that is its layer's only one, and may use what lies on chip.
std::optional<DeviceForm> lone_command(const Layer& layer) {
  std::optional<DeviceForm> form = layer.target == "dla" ? device_form_of(layer) : std::nullopt;
  const bool is_lone = form && form->refusal.empty() && form->pictures == 1 && layer.input_types.at(0).shape[0] == 1 &&
                       !(form->is_product && (form->is_alike || form->shape.G != 0));
  return is_lone ? std::move(form) : std::nullopt;
}

/// Whether the command has the channels of a tensor as its own, and of an ifmap the rows too: it may join some.
bool has_planes_of(const DeviceForm& form, const TensorType& seen, bool is_ifmap) {
  const dla_shape& s = form.shape;
  const Planes planes = planes_of(seen);
  if (!is_ifmap) {
    return dla_groups(&s) * s.M == planes.channels;
  }
  const bool has_rows = seen.shape.size() < 4 || planes.cols == s.W;
  return dla_groups(&s) * s.C == planes.channels && s.H * s.W == planes.bytes() && has_rows;
}

}  // namespace

Stays::Stays(const Network& network, const dla_machine& machine)
    : network_(network), machine_(machine), bytes_(resolve_bytes(network)), numbers_(network.tensors.size()) {
  std::set<TensorId> excluded;
  for (const auto& ends : {network_.inputs, network_.outputs}) {
    for (const NetworkEnd& end : ends) {
      excluded.insert(bytes_[end.tensor].whole);
    }
  }
  for (std::size_t i = 0; i < network_.layers.size(); ++i) {
    const Layer& layer = network_.layers[i];
    if (layer.is_view()) {
      continue;
    }
    Uses uses{i, lone_command(layer), {}, {}, {}};
    if (uses.form) {
      note_command(layer, uses);
    }
    const auto exclude_unless = [&](const std::optional<Use>& use, TensorId id) {
      if (!use) {
        excluded.insert(bytes_[id].whole);
      }
    };
    for (std::size_t input = 0; input < layer.inputs.size(); ++input) {
      exclude_unless(uses.form && input == uses.form->ifmap ? uses.ifmap : uses.residual, layer.inputs[input]);
    }
    exclude_unless(uses.ofmap, layer.output);
    uses_.push_back(std::move(uses));
  }
  for (const TensorId whole : excluded) {
    if (numbers_[whole]) {
      exclude(*numbers_[whole]);
    }
  }
}

/// Which channels of the whole tensor a layer sees, if it sees them as planes of the same rows.
std::optional<std::uint32_t> Stays::channel_of(const DeviceForm& form, TensorId id, const TensorType& seen,
                                               bool is_ifmap) const {
  const TensorType& whole = network_.tensors[bytes_[id].whole].type;
  if (whole.shape.size() < 2 || seen.shape.size() < 2 || whole.shape[0] != 1) {
    return std::nullopt;
  }
  const Planes planes = planes_of(whole);
  if (form.is_product && is_ifmap) {
    const bool is_all = form.shape.C == std::uint64_t{planes.channels} * planes.bytes() && bytes_[id].offset == 0;
    return is_all ? std::optional(0u) : std::nullopt;
  }
  const bool is_alike = has_planes_of(form, seen, is_ifmap) && planes_of(seen).bytes() == planes.bytes() &&
                        bytes_[id].offset % planes.bytes() == 0 &&
                        (whole.shape.size() < 4 || seen.shape.size() < 4 || whole.shape[3] == seen.shape[3]);
  return is_alike ? std::optional(static_cast<std::uint32_t>(bytes_[id].offset / planes.bytes())) : std::nullopt;
}

std::optional<Use> Stays::note_use(const DeviceForm& form, TensorId id, const TensorType& seen, bool is_ifmap) {
  const std::optional<std::uint32_t> channel = channel_of(form, id, seen, is_ifmap);
  if (!channel) {
    return std::nullopt;
  }
  std::optional<std::size_t>& number = numbers_[bytes_[id].whole];
  if (!number) {
    number = stays_.size();
    const Planes planes = planes_of(network_.tensors[bytes_[id].whole].type);
    Stay stay;
    stay.channels = planes.channels;
    stay.rows = stay.plane_rows = planes.rows;
    stay.cols = planes.cols;
    stay.first = uses_.size();
    size(stay);
    stays_.push_back(stay);
  }
  stays_[*number].last = uses_.size();
  return Use{*number, *channel};
}

void Stays::note_command(const Layer& layer, Uses& uses) {
  const DeviceForm& form = *uses.form;
  uses.ifmap = note_use(form, layer.inputs.at(form.ifmap), layer.input_types.at(form.ifmap), true);
  if (form.residual) {
    uses.residual = note_use(form, layer.inputs.at(1 - form.ifmap), layer.output_type, false);
  }
  uses.ofmap = note_use(form, layer.output, layer.output_type, false);
  if (uses.ifmap && uses.residual) {
    stays_[uses.ifmap->tensor].never_with.insert(uses.residual->tensor);
    stays_[uses.residual->tensor].never_with.insert(uses.ifmap->tensor);
  }
}

void Stays::size(Stay& stay) const {
  const std::uint32_t columns = dla_ifmap_columns(&machine_), bus = machine_.bus_bytes;
  stay.stride = (stay.plane_rows * stay.cols + bus - 1) / bus * bus;
  stay.height_bytes = (stay.channels + columns - 1) / columns * stay.stride;
}

/// A ring goes on at its begin only where a word ends.
Stay Stays::ring_of(std::size_t tensor, std::uint32_t rows, std::size_t first, std::size_t last) const {
  Stay ring = stays_[tensor];
  const std::uint32_t step = machine_.bus_bytes / std::gcd(ring.cols, machine_.bus_bytes);
  ring.plane_rows = std::min(ring.rows, (rows + step - 1) / step * step);
  ring.first = first;
  ring.last = last;
  size(ring);
  return ring;
}

}  // namespace fovea
