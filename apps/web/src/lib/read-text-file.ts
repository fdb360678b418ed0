const utf16Marks: ReadonlyMap<string, string> = new Map([
  ['255 254', 'utf-16le'],
  ['254 255', 'utf-16be'],
])

/**
 * Reads a file as text, in UTF-8 or in the encoding of its byte order mark, up to `maxBytes`. Rejects with a readable
 * message if bytes are invalid. Otherwise U+FFFD would replace them, and two different names could become equal.
 */
export const readTextFile = async (file: Blob, maxBytes = file.size): Promise<string> => {
  const bytes = new Uint8Array(await file.slice(0, maxBytes).arrayBuffer())
  const label = utf16Marks.get(bytes.subarray(0, 2).join(' ')) ?? 'utf-8'
  try {
    // If only the first bytes are read, they may end inside a character.
    return new TextDecoder(label, { fatal: true }).decode(bytes, { stream: maxBytes < file.size })
  } catch {
    throw new Error('The file is not UTF-8. Save it as UTF-8')
  }
}
