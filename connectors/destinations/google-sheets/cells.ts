/** A cell in the API's form (`CellData`): the value that a person would have entered, never a formula. */
export type Cell = { userEnteredValue?: { stringValue: string } | { numberValue: number } | { boolValue: boolean } }

/** Maximum characters of a cell (support.google.com/drive/answer/37603, "Files you can store in Google Drive"). */
export const maxCharacters = 50_000

/** The digits of a number that a sheet stores exactly: its numbers are doubles. */
const maxDigits = 15

const numberOf = (text: string): number | undefined => {
  if (!/^-?\d+(\.\d+)?$/.test(text)) return undefined
  return text.replace(/^-?0*\.?0*/, '').replace('.', '').length > maxDigits ? undefined : Number(text)
}

/** A text as a cell; an empty text becomes an empty cell. */
export const textCell = (text: string): Cell => (text === '' ? {} : { userEnteredValue: { stringValue: text } })

/**
 * A value as a cell: null as an empty one, and numbers and booleans unchanged. A number with more digits than a sheet
 * stores becomes text, and any other value JSON. A text is never read as a formula, a number, or a date.
 */
export const cellOf = (value: unknown): Cell => {
  if (value === null || value === undefined) return {}
  if (typeof value === 'boolean') return { userEnteredValue: { boolValue: value } }
  // A number that a double cannot hold exactly is an object with the digits as its text.
  if (typeof value === 'number' || value instanceof Number) {
    const numberValue = numberOf(value.toString())
    return numberValue === undefined ? textCell(value.toString()) : { userEnteredValue: { numberValue } }
  }
  return textCell(typeof value === 'string' ? value : JSON.stringify(value))
}

/** The cell that identifies a row: a number only if the sheet then shows exactly the text of the key. */
export const keyCell = (key: string, value: unknown): Cell =>
  typeof value === 'number' && value.toString() === key && numberOf(key) !== undefined ? cellOf(value) : textCell(key)

/** The text of a cell's value; keys are compared as texts. */
export const textOf = (read: unknown): string =>
  typeof read === 'string' ? read : typeof read === 'number' || typeof read === 'boolean' ? read.toString() : ''
