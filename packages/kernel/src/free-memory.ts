/**
 * Frees the memory of bytes immediately instead of at a full garbage collection, which large buffers would cause
 * sooner. Only for bytes without further readers: a later read finds them empty. Bytes that share their memory with
 * others, or were freed before, are left alone.
 */
export const freeMemory = ({ buffer, byteLength }: Uint8Array): void => {
  if (buffer instanceof ArrayBuffer && !buffer.detached && buffer.byteLength === byteLength) buffer.transfer(0)
}

/**
 * Frees the whole memory that these bytes are a part of. Only for memory with a single user that no longer reads any
 * part: all parts become empty. The memory pool that Node shares among small buffers is left alone.
 */
export const freeWhole = ({ buffer }: Uint8Array): void => {
  if (buffer instanceof ArrayBuffer && buffer.byteLength > Buffer.poolSize) buffer.transfer(0)
}
