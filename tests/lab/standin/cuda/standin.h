#pragma once

/// What libcudart and libnvidia-ml of the stand-in ask of its libcuda beside the public driver API.
extern "C" {

/// Writes "unsupported NAME" to the log of the lab and gives CUDA's "operation not supported" (801).
int hangstack_lab_unsupported(const char* name);

/// A function that calls hangstack_lab_unsupported(name); it lives as long as the process.
const void* hangstack_lab_refusal(const char* name);

/// Writes a jump to `target` over the 12 bytes at `code`, which must be writable. It clobbers rax.
void hangstack_lab_write_jump(unsigned char* code, const void* target);

/// How many devices this machine claims to have.
int hangstack_lab_device_count();
}
