/**
 * Gives the memory of bytes back at once rather than at a full collection, which large ones would bring about the
 * sooner. For bytes nobody reads any more: who still does finds them empty. Bytes that share their memory with others
 * are left alone, and so are those that were given back before.
 */
export const freeMemory = ({ buffer, byteLength }: Uint8Array): void => {
  if (buffer instanceof ArrayBuffer && !buffer.detached && buffer.byteLength === byteLength) buffer.transfer(0)
}
