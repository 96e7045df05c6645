// Streams, events and launches of the driver API.
#include <cuda.h>

#include <chrono>

#include "tests/lab/standin/cuda/device.h"
#include "tests/lab/standin/cuda/handles.h"
#include "tests/lab/standin/cuda/nccl_kernel.h"

using hangstack::standin::Mark;
using hangstack::standin::stream_of;

namespace {

using Clock = std::chrono::steady_clock;

struct Event {
  Mark mark;
  Clock::time_point recorded;
};

Event& event_of(CUevent handle) { return *reinterpret_cast<Event*>(handle); }

CUresult ready_or_not(Mark mark) { return reached(mark) ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY; }

/// The buffer that `extra` of a launch names.
const char* buffer_in(void** extra) {
  for (void** next = extra; next && *next != CU_LAUNCH_PARAM_END; next += 2) {
    if (next[0] == CU_LAUNCH_PARAM_BUFFER_POINTER) return static_cast<const char*>(next[1]);
  }
  return nullptr;
}

CUresult launch(CUstream stream, CUfunction function, void** parameters, void** extra) {
  const hangstack::standin::Arguments arguments{buffer_in(extra), parameters};
  const bool has_any = arguments.buffer || arguments.parameters;
  wait_for_room(stream_of(stream));
  enqueue(stream_of(stream), has_any ? hangstack::standin::nccl_kernel(function, arguments) : nullptr);
  return CUDA_SUCCESS;
}

}  // namespace

extern "C" {

CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned, int) {
  *stream = reinterpret_cast<CUstream>(hangstack::standin::create_stream());
  return CUDA_SUCCESS;
}

CUresult cuStreamCreate(CUstream* stream, unsigned flags) { return cuStreamCreateWithPriority(stream, flags, 0); }

CUresult cuStreamDestroy(CUstream) { return CUDA_SUCCESS; }

CUresult cuStreamQuery(CUstream stream) { return ready_or_not(mark_of(stream_of(stream))); }

CUresult cuStreamSynchronize(CUstream stream) {
  wait_for(mark_of(stream_of(stream)));
  return CUDA_SUCCESS;
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned) {
  enqueue_wait(stream_of(stream), event_of(event).mark);
  return CUDA_SUCCESS;
}

CUresult cuEventCreate(CUevent* event, unsigned) {
  *event = reinterpret_cast<CUevent>(new Event);
  return CUDA_SUCCESS;
}

CUresult cuEventDestroy(CUevent event) {
  delete &event_of(event);
  return CUDA_SUCCESS;
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  event_of(event) = {mark_of(stream_of(stream)), Clock::now()};
  return CUDA_SUCCESS;
}

CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned) { return cuEventRecord(event, stream); }

CUresult cuEventQuery(CUevent event) { return ready_or_not(event_of(event).mark); }

CUresult cuEventSynchronize(CUevent event) {
  wait_for(event_of(event).mark);
  return CUDA_SUCCESS;
}

CUresult cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end) {
  if (!reached(event_of(start).mark) || !reached(event_of(end).mark)) return CUDA_ERROR_NOT_READY;
  *milliseconds = std::chrono::duration<float, std::milli>(event_of(end).recorded - event_of(start).recorded).count();
  return CUDA_SUCCESS;
}

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* data) {
  enqueue_host_function(stream_of(stream), function, data);
  return CUDA_SUCCESS;
}

CUresult cuLaunchKernel(CUfunction function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                        CUstream stream, void** parameters, void** extra) {
  return launch(stream, function, parameters, extra);
}

CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** parameters, void** extra) {
  return launch(config->hStream, function, parameters, extra);
}

CUresult cuFuncSetAttribute(CUfunction, CUfunction_attribute, int) { return CUDA_SUCCESS; }

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction) {
  *value = attribute == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK ? 1024 : 0;
  return CUDA_SUCCESS;
}
}
