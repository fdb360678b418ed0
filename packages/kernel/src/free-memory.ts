/**
 * Gives the memory of bytes back at once rather than at a full collection, which large ones would bring about the
 * sooner. For bytes nobody reads any more: who still does finds them empty. Bytes that share their memory with others
 * are left alone, and so are those that were given back before.
 */
export const freeMemory = ({ buffer, byteLength }: Uint8Array): void => {
  if (buffer instanceof ArrayBuffer && !buffer.detached && buffer.byteLength === byteLength) buffer.transfer(0)
}

/**
 * Gives back the whole memory that bytes are a part of. For memory of one user, who reads none of its parts any more: they
 * are empty then. What Node lets small buffers share is left alone.
 */
export const freeWhole = ({ buffer }: Uint8Array): void => {
  if (buffer instanceof ArrayBuffer && buffer.byteLength > Buffer.poolSize) buffer.transfer(0)
}
