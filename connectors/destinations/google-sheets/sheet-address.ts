/** A sheet of the spreadsheet, and the column that identifies its rows. */
export type SheetAddress = { title: string; identifier: string }

/** Returns the object name of a sheet in rows. */
export const sheetObject = ({ title, identifier }: SheetAddress): string =>
  `sheets/${encodeURIComponent(title.trim())}/${encodeURIComponent(identifier.trim())}`

/** Returns the sheet of an object name; undefined for any other object. */
export const sheetOf = (object: string): SheetAddress | undefined => {
  const [kind, title = '', identifier = '', ...more] = object.split('/')
  if (kind !== 'sheets' || more.length > 0 || title === '' || identifier === '') return undefined
  try {
    return { title: decodeURIComponent(title), identifier: decodeURIComponent(identifier) }
  } catch {
    return undefined
  }
}
