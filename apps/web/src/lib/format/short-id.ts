const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const length = 4

/**
 * Returns an ID of 4 letters and digits that is not in `taken`, for a row of a builder, a mapping or a filter. It is
 * unique only within its page.
 */
export const shortId = (taken: Iterable<string> = []): string => {
  const others = new Set(taken)
  for (;;) {
    let id = ''
    for (const byte of crypto.getRandomValues(new Uint8Array(length))) id += alphabet[byte % alphabet.length]
    if (!others.has(id)) return id
  }
}
