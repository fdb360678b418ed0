/** Content codings that files are kept in, smallest first: what is preferred among those a client likes equally. */
export const contentEncodings = ['br', 'gzip', 'identity'] as const
export type ContentEncoding = (typeof contentEncodings)[number]

/** The weight of each coding that the header names, in lower case; a weight that is none counts as 1. */
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
 * Which of the codings that a file is kept in an `Accept-Encoding` header asks for (RFC 9110, section 12.5.3): the one of
 * the greatest weight, of equal ones the smallest. Without the header, and where nothing kept is acceptable, `identity`.
 */
export const chooseEncoding = (header: string | undefined, kept: readonly ContentEncoding[]): ContentEncoding => {
  if (header === undefined) return 'identity'
  const weights = weightsOf(header)
  const others = weights.get('*')
  // A coding that is not named is unacceptable, except identity, which is the last choice.
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
