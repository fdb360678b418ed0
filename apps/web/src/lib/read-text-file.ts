const utf16Marks: ReadonlyMap<string, string> = new Map([
  ['255 254', 'utf-16le'],
  ['254 255', 'utf-16be'],
])

/**
 * The text of a file in UTF-8, or in the encoding of its byte order mark, up to `maxBytes`. Rejects with a readable
 * message when its bytes are invalid: otherwise they would be replaced by U+FFFD, and two names could become one.
 */
export const readTextFile = async (file: Blob, maxBytes = file.size): Promise<string> => {
  const bytes = new Uint8Array(await file.slice(0, maxBytes).arrayBuffer())
  const label = utf16Marks.get(bytes.subarray(0, 2).join(' ')) ?? 'utf-8'
  try {
    // A file that is cut can end inside a character.
    return new TextDecoder(label, { fatal: true }).decode(bytes, { stream: maxBytes < file.size })
  } catch {
    throw new Error('The file is not UTF-8. Save it as UTF-8')
  }
}
