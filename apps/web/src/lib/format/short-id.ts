const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const length = 4

/** An id of 4 letters and digits for a row of a builder, a mapping or a filter that only this page knows; none of `taken`. */
export const shortId = (taken: Iterable<string> = []): string => {
  const others = new Set(taken)
  for (;;) {
    let id = ''
    for (const byte of crypto.getRandomValues(new Uint8Array(length))) id += alphabet[byte % alphabet.length]
    if (!others.has(id)) return id
  }
}
