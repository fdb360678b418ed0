/**
 * Gives the memory of bytes back at once rather than at a full collection, which large ones would bring about the
 * sooner. For bytes nobody reads any more: who still does finds them empty. Bytes that share their memory with others
 * are left alone.
 */
export const freeMemory = ({ buffer, byteLength }: Uint8Array): void => {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}
