// SPDX-License-Identifier: Apache-2.0
/// \file
/// Statuses as text.
#include "dla_hal.h"

const char* dla_status_text(dla_status_t status) {
  switch (status) {
    case kDlaOk:
      return "done";
    case kDlaBadArg:
      return "an argument is out of range; nothing was done";
    case kDlaBusy:
      return "the device is still running a layer; nothing was done";
    case kDlaTimeout:
      return "the device did not finish in the cycles allowed; it was reset";
    case kDlaRefused:
      return "the device refused the layer";
    case kDlaBusError:
      return "the device answered a register access with an error";
    case kDlaNoMemory:
      return "device memory is full";
    case kDlaNoDevice:
      return "there is no device that this driver knows";
    case kDlaBadWeights:
      return "the weight file is truncated, damaged, or of another model or machine";
    case kDlaLostRows:
      return "rows of a tensor on chip are not written yet, or overwritten, where a layer reads them; nothing was done";
    case kDlaLostFilters:
      return "filters that stay on chip do not fit their region, or another layer uses it; nothing was done";
    case kDlaNoTarget:
      return "a target computes it in Python; only the process that compiled the network can run it";
    case kDlaExternFailed:
      return "the C function for an operator returned an error";
  }
  return "unknown status";
}
