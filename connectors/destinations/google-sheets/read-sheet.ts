import { isJsonObject, type RowField } from '@tributary/connector-kit'
import { textOf } from './cells.ts'
import type { Sheet } from './plan.ts'
import { type Context, read } from './request.ts'
import type { SheetAddress } from './sheet-address.ts'

/**
 * Returns a range in A1 notation as a part of a URL; quotes within a title are doubled ("Google Sheets API concepts").
 */
const rangeIn = (title: string, range: string): string =>
  encodeURIComponent(`'${title.replaceAll("'", "''")}'!${range}`)

/** Returns the letters of a column by its index from 0: A, B, … Z, AA. */
export const columnLetters = (index: number): string => {
  const last = String.fromCharCode(65 + (index % 26))
  return index < 26 ? last : columnLetters(Math.floor(index / 26) - 1) + last
}

const objectIn = (record: Readonly<Record<string, unknown>>, name: string) => {
  const value = record[name]
  return isJsonObject(value) ? value : {}
}
const numberIn = (record: Readonly<Record<string, unknown>>, name: string): number => {
  const value = record[name]
  return typeof value === 'number' ? value : 0
}

/** Returns the first row or column of a `ValueRange`, which omits empty rows and columns at the end. */
const firstOf = ({ values }: Readonly<Record<string, unknown>>): readonly unknown[] => {
  const first: unknown = Array.isArray(values) ? values[0] : []
  return Array.isArray(first) ? first : []
}

/**
 * Returns a sheet ID that no other sheet has. The ID is the same for the same title, so that repeated attempts create a
 * sheet only once.
 */
const idFor = (title: string, taken: ReadonlySet<number>): number => {
  let id = 0
  for (const character of title) id = (Math.imul(id, 31) + (character.codePointAt(0) ?? 0)) >>> 1
  while (taken.has(id)) id = (id + 1) % 0x7fffffff
  return id
}

/** Reads the names in the first row of a sheet; empty for an empty row. */
const readHeader = async (context: Context, title: string): Promise<readonly string[]> =>
  firstOf(await read(context, `/values/${rangeIn(title, '1:1')}?majorDimension=ROWS`)).map(textOf)

/** Reads the properties of the sheets in the spreadsheet. */
const readSheets = async (context: Context): Promise<readonly Readonly<Record<string, unknown>>[]> => {
  const { sheets } = await read(context, '?fields=sheets.properties(sheetId,title,gridProperties)')
  return Array.isArray(sheets) ? sheets.filter(isJsonObject).map((sheet) => objectIn(sheet, 'properties')) : []
}

/** Returns the columns of a sheet; empty for a missing sheet. */
export const describeColumns = async (context: Context, title: string): Promise<readonly RowField[]> => {
  const sheets = await readSheets(context)
  if (!sheets.some((each) => String(each['title']).toLowerCase() === title.trim().toLowerCase())) return []
  const names = (await readHeader(context, title.trim())).map((name) => name.trim()).filter((name) => name !== '')
  return names.map((name) => ({ name, label: name, type: '', required: false, unique: false, options: [] }))
}

/**
 * Reads the data of a sheet that a write needs: its header, and the keys of its rows. Reading takes three requests; two
 * for a sheet without the key column, one for a missing sheet. Throws a DeliveryError if the sheet cannot be read.
 */
export const readSheet = async (context: Context, { title, identifier }: SheetAddress): Promise<Sheet> => {
  const sheets = await readSheets(context)
  // Titles that differ only in letter case are the same title.
  const found = sheets.find((each) => String(each['title']).toLowerCase() === title.toLowerCase())
  const newId = idFor(title, new Set(sheets.map((each) => numberIn(each, 'sheetId'))))
  if (found === undefined)
    return { id: undefined, newId, title, rowCount: 0, columnCount: 0, header: [], rows: new Map() }
  const grid = objectIn(found, 'gridProperties')
  const header = await readHeader(context, title)
  const column = header.findIndex((name) => name.trim() === identifier)
  const rows = new Map<string, number[]>()
  if (column >= 0) {
    const letters = columnLetters(column)
    const query = 'majorDimension=COLUMNS&valueRenderOption=UNFORMATTED_VALUE'
    const keys = firstOf(await read(context, `/values/${rangeIn(title, `${letters}2:${letters}`)}?${query}`))
    for (const [at, value] of keys.entries()) {
      const key = textOf(value)
      if (key === '') continue
      const places = rows.get(key)
      if (places === undefined) rows.set(key, [at + 1])
      else places.push(at + 1)
    }
  }
  return {
    id: numberIn(found, 'sheetId'),
    newId,
    title,
    rowCount: numberIn(grid, 'rowCount'),
    columnCount: numberIn(grid, 'columnCount'),
    header,
    rows,
  }
}
