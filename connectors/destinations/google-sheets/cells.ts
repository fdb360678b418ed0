/** A cell in the API's form (`CellData`): the value like a user would enter it, never a formula. */
export type Cell = { userEnteredValue?: { stringValue: string } | { numberValue: number } | { boolValue: boolean } }

/** Maximum characters of a cell (support.google.com/drive/answer/37603, "Files you can store in Google Drive"). */
export const maxCharacters = 50_000

/** Maximum digits of a number that a sheet stores exactly, because its numbers are doubles. */
const maxDigits = 15

const numberOf = (text: string): number | undefined => {
  if (!/^-?\d+(\.\d+)?$/.test(text)) return undefined
  return text.replace(/^-?0*\.?0*/, '').replace('.', '').length > maxDigits ? undefined : Number(text)
}

/** Returns a text as a cell; an empty text becomes an empty cell. */
export const textCell = (text: string): Cell => (text === '' ? {} : { userEnteredValue: { stringValue: text } })

/**
 * Returns a value as a cell: null as an empty cell, numbers and booleans unchanged. A number with more digits than a
 * sheet stores becomes text; lists and objects become JSON. The sheet never reads a text as a formula, a number, or a
 * date.
 */
export const cellOf = (value: unknown): Cell => {
  if (value === null || value === undefined) return {}
  if (typeof value === 'boolean') return { userEnteredValue: { boolValue: value } }
  // An exact number, which a double cannot hold, is an object whose text is its digits.
  if (typeof value === 'number' || value instanceof Number) {
    const numberValue = numberOf(value.toString())
    return numberValue === undefined ? textCell(value.toString()) : { userEnteredValue: { numberValue } }
  }
  return textCell(typeof value === 'string' ? value : JSON.stringify(value))
}

/** Returns the cell that identifies a row. It is a number only if the sheet then shows exactly the text of the key. */
export const keyCell = (key: string, value: unknown): Cell =>
  typeof value === 'number' && value.toString() === key && numberOf(key) !== undefined ? cellOf(value) : textCell(key)

/** Returns the text of a cell's value, because keys are compared as texts. */
export const textOf = (read: unknown): string =>
  typeof read === 'string' ? read : typeof read === 'number' || typeof read === 'boolean' ? read.toString() : ''
