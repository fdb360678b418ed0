/** What all keys of a pattern begin with: what stands before its first wildcard. */
export const prefixOf = (pattern: string): string => pattern.split('*', 1)[0] ?? ''

/**
 * Whether a key is of a pattern, in which `*` is any characters. Each part is looked for once, where it can first be: strangers name
 * the keys, and an expression that goes back would take as long as they like.
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
