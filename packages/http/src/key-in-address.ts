const keyStart = 'api_'
const keyLength = 32

const isWord = (code: number): boolean =>
  (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code === 95
const isKeyCharacter = (code: number): boolean => isWord(code) || code === 45

/** Replaces each `%XX` by the byte that it encodes; every other percent sign stays. */
const decoded = (text: string): string => {
  const parts = text.split('%')
  let made = parts[0] ?? ''
  for (const part of parts.slice(1)) {
    const code = /^[0-9a-fA-F]{2}/.test(part) ? Number.parseInt(part.slice(0, 2), 16) : undefined
    made += code === undefined ? `%${part}` : String.fromCharCode(code) + part.slice(2)
  }
  return made
}

const hasKey = (text: string): boolean => {
  for (let at = text.indexOf(keyStart); at >= 0; at = text.indexOf(keyStart, at + 1)) {
    if (at > 0 && isWord(text.charCodeAt(at - 1))) continue
    let end = at + keyStart.length
    // One more character than a key has proves that the text is longer than a key.
    while (end < text.length && end - at - keyStart.length <= keyLength && isKeyCharacter(text.charCodeAt(end)))
      end += 1
    if (end - at - keyStart.length === keyLength) return true
  }
  return false
}

/**
 * Maximum number of decodings. Proxies and browsers may encode a URL again, and a server behind them decodes it as
 * often.
 */
const maxDecodings = 4

/** Whether the path or query of a URL contains an API key, plain or percent-encoded, also if encoded several times. */
export const hasKeyInAddress = (address: string): boolean => {
  let text = address
  for (let round = 0; round <= maxDecodings; round += 1) {
    if (hasKey(text)) return true
    const next = text.includes('%') ? decoded(text) : text
    if (next === text) return false
    text = next
  }
  return false
}
