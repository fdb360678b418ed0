/** Content encodings of stored files, smallest first. The smallest wins if a client accepts several equally. */
export const contentEncodings = ['br', 'gzip', 'identity'] as const
export type ContentEncoding = (typeof contentEncodings)[number]

/** The weight of each encoding that the header names, in lower case; an invalid weight counts as 1. */
const weightsOf = (header: string): Map<string, number> => {
  const weights = new Map<string, number>()
  for (const part of header.split(',')) {
    const [coding = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase())
    const weight = parameters.map((text) => /^q\s*=\s*([\d.]+)$/.exec(text)?.[1]).find((text) => text !== undefined)
    if (coding !== '') weights.set(coding === 'x-gzip' ? 'gzip' : coding, Number(weight ?? 1))
  }
  return weights
}

/**
 * Chooses a stored encoding by an `Accept-Encoding` header (RFC 9110, section 12.5.3): the one with the highest weight,
 * or the smallest of equal ones. Returns `identity` without the header, or if no stored encoding is acceptable.
 */
export const chooseEncoding = (header: string | undefined, kept: readonly ContentEncoding[]): ContentEncoding => {
  if (header === undefined) return 'identity'
  const weights = weightsOf(header)
  const others = weights.get('*')
  // An encoding that the header does not name is unacceptable, except identity, which is the last choice.
  const weightOf = (coding: ContentEncoding): number =>
    weights.get(coding) ?? others ?? (coding === 'identity' ? Number.EPSILON : 0)
  let best: ContentEncoding = 'identity'
  let most = 0
  for (const coding of contentEncodings) {
    const weight = coding === 'identity' || kept.includes(coding) ? weightOf(coding) : 0
    if (weight > most) {
      most = weight
      best = coding
    }
  }
  return best
}
