/** A sheet of the spreadsheet, and the column that tells its rows apart. */
export type SheetAddress = { title: string; identifier: string }

/** How rows name the sheet that they are of. */
export const sheetObject = ({ title, identifier }: SheetAddress): string =>
  `sheets/${encodeURIComponent(title.trim())}/${encodeURIComponent(identifier.trim())}`

/** The sheet that an object names; undefined for any other object. */
export const sheetOf = (object: string): SheetAddress | undefined => {
  const [kind, title = '', identifier = '', ...more] = object.split('/')
  if (kind !== 'sheets' || more.length > 0 || title === '' || identifier === '') return undefined
  try {
    return { title: decodeURIComponent(title), identifier: decodeURIComponent(identifier) }
  } catch {
    return undefined
  }
}
