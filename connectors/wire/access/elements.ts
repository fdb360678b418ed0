/**
 * Returns the text of the first element with this name that contains no other element; undefined if there is none.
 * Takes linear time.
 */
export const elementText = (xml: string, name: string): string | undefined => {
  const [opening, closing] = [`<${name}>`, `</${name}>`]
  for (let start = xml.indexOf(opening); start >= 0; start = xml.indexOf(opening, start + 1)) {
    const from = start + opening.length
    const end = xml.indexOf('<', from)
    if (end < 0) return undefined
    if (xml.startsWith(closing, end)) return xml.slice(from, end)
  }
  return undefined
}

/** Returns the text of each element with this name, in their order. Takes linear time. */
export const elementsOf = (xml: string, name: string): string[] => {
  const [opening, closing] = [`<${name}>`, `</${name}>`]
  const inside: string[] = []
  for (let start = xml.indexOf(opening); start >= 0; ) {
    const from = start + opening.length
    const end = xml.indexOf(closing, from)
    if (end < 0) break
    inside.push(xml.slice(from, end))
    start = xml.indexOf(opening, end)
  }
  return inside
}
