/** Returns the first `length` UTF-16 units of a text. A surrogate pair is never split. */
export const cutText = (text: string, length: number): string => {
  if (text.length <= length) return text
  const last = text.charCodeAt(length - 1)
  const next = text.charCodeAt(length)
  const splits = length > 0 && last >= 0xd800 && last <= 0xdbff && next >= 0xdc00 && next <= 0xdfff
  return text.slice(0, splits ? length - 1 : length)
}

const isBetween = (code: number, first: number, last: number): boolean => code >= first && code <= last

/**
 * Returns the whole character that contains a UTF-16 unit, even if the character has two units. Empty beyond the end of
 * the text.
 */
export const characterAt = (text: string, index: number): string => {
  const isSecond =
    isBetween(text.charCodeAt(index), 0xdc00, 0xdfff) && isBetween(text.charCodeAt(index - 1), 0xd800, 0xdbff)
  const code = text.codePointAt(isSecond ? index - 1 : index)
  return code === undefined ? '' : String.fromCodePoint(code)
}
