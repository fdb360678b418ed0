/** Returns the prefix of all keys of a pattern: the text before its first wildcard. */
export const prefixOf = (pattern: string): string => pattern.split('*', 1)[0] ?? ''

/**
 * Whether a key matches a pattern, in which `*` stands for any characters. Each part is searched once, from the
 * earliest possible position. A regular expression could take unlimited time, because strangers choose the keys.
 */
export const isOfPattern = (key: string, pattern: string): boolean => {
  const [first = '', ...parts] = pattern.split('*')
  const last = parts.pop()
  if (last === undefined) return key === first
  if (!key.startsWith(first)) return false
  let at = first.length
  for (const part of parts) {
    const found = key.indexOf(part, at)
    if (found === -1) return false
    at = found + part.length
  }
  return key.length - last.length >= at && key.endsWith(last)
}
