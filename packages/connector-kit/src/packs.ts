/**
 * Texts in their order, as many together as fit into `maxBytes` of a JSON list with commas between; one that is larger
 * than that is alone. Answers the indexes of each pack.
 */
export const packsBySize = (texts: readonly string[], maxBytes: number): number[][] => {
  const packs: number[][] = []
  let bytes = Number.POSITIVE_INFINITY
  for (const [index, text] of texts.entries()) {
    const own = Buffer.byteLength(text) + 1
    if (bytes + own > maxBytes) {
      packs.push([])
      bytes = 1
    }
    packs.at(-1)?.push(index)
    bytes += own
  }
  return packs
}
