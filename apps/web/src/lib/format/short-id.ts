const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const length = 4

/**
 * An ID of 4 letters and digits, valid on this page only, for a row of a builder, a mapping or a filter; none of
 * `taken`.
 */
export const shortId = (taken: Iterable<string> = []): string => {
  const others = new Set(taken)
  for (;;) {
    let id = ''
    for (const byte of crypto.getRandomValues(new Uint8Array(length))) id += alphabet[byte % alphabet.length]
    if (!others.has(id)) return id
  }
}
