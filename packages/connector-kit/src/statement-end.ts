/** Removes surrounding whitespace and trailing semicolons from a statement, in linear time. */
export const withoutStatementEnd = (statement: string): string => {
  const text = statement.trim()
  let end = text.length
  while (end > 0 && (text[end - 1] === ';' || text.charAt(end - 1).trim() === '')) end -= 1
  return text.slice(0, end)
}
