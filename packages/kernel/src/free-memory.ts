/**
 * Frees the memory of bytes immediately rather than at a full collection, which large ones would bring about sooner.
 * For bytes without further readers: a later read finds them empty. Bytes that share their memory with others are left
 * alone, and so are those that were given back before.
 */
export const freeMemory = ({ buffer, byteLength }: Uint8Array): void => {
  if (buffer instanceof ArrayBuffer && !buffer.detached && buffer.byteLength === byteLength) buffer.transfer(0)
}

/**
 * Frees the whole memory that bytes are a part of. For memory with one user, who no longer reads its parts: they are
 * empty then. Memory that Node shares among small buffers is left alone.
 */
export const freeWhole = ({ buffer }: Uint8Array): void => {
  if (buffer instanceof ArrayBuffer && buffer.byteLength > Buffer.poolSize) buffer.transfer(0)
}
