const token = /"(?:\\.|[^"\\])*"?|[{}[\],:]|[^\s{}[\],:"]+/g

/**
 * Indents JSON text by two spaces without parsing its values: numbers keep every digit, and repeated names stay. Text
 * that is not JSON is returned unchanged.
 */
export const formatJson = (text: string): string => {
  try {
    JSON.parse(text)
  } catch {
    return text
  }
  const out: string[] = []
  let depth = 0
  const newLine = (): string => `\n${'  '.repeat(depth)}`
  let last = ''
  for (const [part] of text.matchAll(token)) {
    if (part === '}' || part === ']') {
      depth--
      out.push(last === '{' || last === '[' ? part : `${newLine()}${part}`)
    } else {
      if (last === '{' || last === '[' || last === ',') out.push(newLine())
      out.push(part === ':' ? ': ' : part)
      if (part === '{' || part === '[') depth++
    }
    last = part
  }
  return out.join('')
}

/** Formats an HTTP message: the head stays unchanged, and a body below the empty line is indented if it is JSON. */
export const formatMessage = (text: string): string => {
  const end = text.search(/\r?\n\r?\n/)
  if (end < 0) return formatJson(text)
  const body = text.slice(end).trimStart()
  return `${text.slice(0, end)}\n\n${formatJson(body)}`
}
