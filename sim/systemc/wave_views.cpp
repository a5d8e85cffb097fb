// SPDX-License-Identifier: Apache-2.0
/// \file
/// The signals of the model that a wave viewer opens on, by what is asked of them.
#include "wave_views.h"

namespace fovea {

std::vector<WaveView> model_wave_views() {
  const WaveGroup control = {"Control", {{"SystemC.control.busy"}}};
  const WaveGroup loops = {"Loops",
                           {{"SystemC.sequencer.row0", 32},
                            {"SystemC.sequencer.m0", 32},
                            {"SystemC.sequencer.c0", 32},
                            {"SystemC.sequencer.fold_row0", 32},
                            {"SystemC.sequencer.group0", 32},
                            {"SystemC.sequencer.strip0", 32}}};
  const WaveGroup array = {
      "Array", {{"SystemC.array.phase", 32}, {"SystemC.array.passes", 32}, {"SystemC.filter_feed.feeding"}}};
  const WaveGroup queues = {"Queue levels",
                            {{"SystemC.queue.loads", 32},
                             {"SystemC.queue.filter_sets", 32},
                             {"SystemC.queue.passes", 32},
                             {"SystemC.queue.fed_sets", 32},
                             {"SystemC.queue.tiles", 32},
                             {"SystemC.queue.write_bursts", 32}}};
  const WaveGroup reads = {"DRAM reads",
                           {{"SystemC.load.bursts", 32},
                            {"SystemC.load.accepted"},
                            {"SystemC.dram.read_addr", 32},
                            {"SystemC.dram.read_requests", 32}}};
  const WaveGroup writes = {"DRAM writes",
                            {{"SystemC.gather.words", 64},
                             {"SystemC.gather.beats", 64},
                             {"SystemC.burst_sender.bursts", 32},
                             {"SystemC.burst_sender.accepted"},
                             {"SystemC.dram.write_addr", 32},
                             {"SystemC.dram.write_requests", 32}}};
  return {{"passes", {control, loops, array, queues}}, {"bus", {reads, writes}}};
}

}  // namespace fovea
