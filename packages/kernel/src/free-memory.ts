/**
 * Frees the memory of bytes immediately. Otherwise it is freed at a full garbage collection, which large buffers would
 * cause sooner. Use it only for bytes that nothing reads later, because a later read finds them empty. Bytes that share
 * their memory with other bytes, or were freed before, are not changed.
 */
export const freeMemory = ({ buffer, byteLength }: Uint8Array): void => {
  if (buffer instanceof ArrayBuffer && !buffer.detached && buffer.byteLength === byteLength) buffer.transfer(0)
}

/**
 * Frees the whole memory that these bytes are a part of. Use it only if nothing reads any part of the memory later,
 * because all parts become empty. The memory pool that Node shares among small buffers is not changed.
 */
export const freeWhole = ({ buffer }: Uint8Array): void => {
  if (buffer instanceof ArrayBuffer && buffer.byteLength > Buffer.poolSize) buffer.transfer(0)
}
