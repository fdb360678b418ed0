import type { PeerAnswer } from '@tributary/connector-kit/testing'
import type { VendorRequest } from '@tributary/connector-kit/testing-destination'

/** The credentials of the simulated vendor. */
export const token = 'ya29.a0-0123456789'
export const spreadsheet = '1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgVE2upms'

type Value = string | number | boolean
type Grid = { id: number; title: string; rows: (Value | undefined)[][]; rowCount: number; columnCount: number }
type CellData = { userEnteredValue?: { stringValue?: string; numberValue?: number; boolValue?: boolean } }
type RowData = { values: CellData[] }
type Dimension = { sheetId: number; dimension: 'ROWS' | 'COLUMNS' }
type Request = {
  addSheet?: {
    properties: { sheetId: number; title: string; gridProperties: { rowCount: number; columnCount: number } }
  }
  updateCells?: { start: { sheetId: number; rowIndex: number; columnIndex: number }; rows: RowData[]; fields: string }
  appendCells?: { sheetId: number; rows: RowData[]; fields: string }
  appendDimension?: Dimension & { length: number }
  deleteDimension?: { range: Dimension & { startIndex: number; endIndex: number } }
}

/** Returns a JSON response of the vendor. */
export const answerOf = (status: number, body: unknown): PeerAnswer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})
/** Returns an error in the format of google.rpc.Status. */
export const errorOf = (code: number, status: string, message: string): PeerAnswer =>
  answerOf(code, { error: { code, message, status } })

class Refused extends Error {}

const valueOf = ({ userEnteredValue: given = {} }: CellData): Value | undefined =>
  given.stringValue ?? given.numberValue ?? given.boolValue

const columnOf = (letters: string): number =>
  letters.split('').reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1

const gridOf = (all: readonly Grid[], id: number): Grid => {
  const grid = all.find((each) => each.id === id)
  if (grid === undefined) throw new Refused(`No grid with id: ${id}`)
  return grid
}

const put = (grid: Grid, row: number, column: number, rows: readonly RowData[], refused: ReadonlySet<string>): void => {
  for (const [down, { values }] of rows.entries())
    for (const [right, cell] of values.entries()) {
      const value = valueOf(cell)
      if (row + down >= grid.rowCount || column + right >= grid.columnCount)
        throw new Refused('Attempting to write outside the grid')
      if (typeof value === 'string' && value.length > 50_000)
        throw new Refused('Your input contains more than the maximum of 50000 characters in a single cell.')
      if (value === 'bad' && refused.has(grid.title)) throw new Refused('Invalid value')
      const line = (grid.rows[row + down] ??= [])
      line[column + right] = value
    }
}

const lastRow = ({ rows }: Grid): number =>
  rows.findLastIndex((row) => row !== undefined && row.some((value) => value !== undefined)) + 1

/** Changes a spreadsheet by one request of a batch. */
const apply = (all: Grid[], request: Request, refused: ReadonlySet<string>): void => {
  const { addSheet, updateCells, appendCells, appendDimension, deleteDimension } = request
  if (addSheet !== undefined) {
    const { sheetId: id, title, gridProperties } = addSheet.properties
    if (all.some((each) => each.id === id || each.title.toLowerCase() === title.toLowerCase()))
      throw new Refused(`A sheet with the name "${title}" already exists.`)
    all.push({ id, title, rows: [], ...gridProperties })
  } else if (updateCells !== undefined) {
    const { sheetId, rowIndex, columnIndex } = updateCells.start
    put(gridOf(all, sheetId), rowIndex, columnIndex, updateCells.rows, refused)
  } else if (appendCells !== undefined) {
    const grid = gridOf(all, appendCells.sheetId)
    const at = lastRow(grid)
    grid.rowCount = Math.max(grid.rowCount, at + appendCells.rows.length)
    put(grid, at, 0, appendCells.rows, refused)
  } else if (appendDimension !== undefined) {
    const grid = gridOf(all, appendDimension.sheetId)
    if (appendDimension.dimension === 'ROWS') grid.rowCount += appendDimension.length
    else grid.columnCount += appendDimension.length
  } else if (deleteDimension !== undefined) {
    const { sheetId, startIndex, endIndex } = deleteDimension.range
    const grid = gridOf(all, sheetId)
    if (endIndex > grid.rowCount) throw new Refused('Attempting to delete outside the grid')
    if (endIndex - startIndex >= grid.rowCount - 1)
      throw new Refused('Sorry, it is not possible to delete all non-frozen rows.')
    grid.rows.splice(startIndex, endIndex - startIndex)
    grid.rowCount -= endIndex - startIndex
  } else throw new Refused('Unknown request')
}

/**
 * Creates a stand-in for a spreadsheet that follows Google's pages (developers.google.com/workspace/sheets/api).
 * - `spreadsheets.get` has a field mask.
 * - `spreadsheets.values.get` in A1 notation omits empty rows and columns at the end ("Read & write cell values").
 * - The requests of `spreadsheets.batchUpdate` take effect in their order, all or none ("Update spreadsheets").
 * - "Requests": appendCells writes after the last row with data and adds rows as needed, and updateCells must stay
 * within the grid. A sheet has at least one row. Sheet IDs and titles are unique.
 * - "Files you can store in Google Drive": 50,000 characters in a cell.
 */
export const createSpreadsheet = () => {
  let grids: Grid[] = []
  const refused = new Set<string>()
  const batchUpdate = ({ requests }: { requests: Request[] }): PeerAnswer => {
    if (requests.length === 0) return errorOf(400, 'INVALID_ARGUMENT', 'Must specify at least one request.')
    const next = structuredClone(grids)
    try {
      for (const request of requests) apply(next, request, refused)
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      return errorOf(400, 'INVALID_ARGUMENT', `Invalid requests[0]: ${error.message}`)
    }
    grids = next
    return answerOf(200, { spreadsheetId: spreadsheet, replies: requests.map(() => ({})) })
  }
  const values = (range: string): PeerAnswer => {
    const [, quoted = '', area = ''] = /^'((?:[^']|'')*)'!(.*)$/.exec(range) ?? []
    const grid = grids.find((each) => each.title.toLowerCase() === quoted.replaceAll("''", "'").toLowerCase())
    if (grid === undefined) return errorOf(400, 'INVALID_ARGUMENT', `Unable to parse range: ${range}`)
    const column = /^([A-Z]+)2:\1$/.exec(area)?.[1]
    const cells =
      column === undefined
        ? (grid.rows[0] ?? [])
        : Array.from({ length: Math.max(0, lastRow(grid) - 1) }, (_, at) => grid.rows[at + 1]?.[columnOf(column)])
    const end = cells.findLastIndex((value) => value !== undefined) + 1
    const filled = Array.from({ length: end }, (_, at) => cells[at] ?? '')
    return answerOf(200, { range, ...(end === 0 ? {} : { values: [filled] }) })
  }
  const answer = ({ method, host, path, headers, body }: Omit<VendorRequest, 'query' | 'raw'>): PeerAnswer => {
    if (host !== 'sheets.googleapis.com') return { status: 404 }
    if (headers['authorization'] !== `Bearer ${token}`)
      return errorOf(401, 'UNAUTHENTICATED', 'Request had invalid authentication credentials.')
    const base = `/v4/spreadsheets/${spreadsheet}`
    if (!path.startsWith(base)) return errorOf(404, 'NOT_FOUND', 'Requested entity was not found.')
    const rest = path.slice(base.length)
    if (method === 'POST' && rest === ':batchUpdate') return batchUpdate(body as { requests: Request[] })
    if (method === 'GET' && rest.startsWith('/values/'))
      return values(decodeURIComponent(rest.slice('/values/'.length)))
    if (method !== 'GET' || rest !== '') return errorOf(404, 'NOT_FOUND', 'Requested entity was not found.')
    const sheets = grids.map(({ id: sheetId, title, rowCount, columnCount }) => ({
      properties: { sheetId, title, gridProperties: { rowCount, columnCount } },
    }))
    return answerOf(200, { properties: { title: 'Customers' }, sheets })
  }
  return {
    answer,
    refuseBad: (title: string) => void refused.add(title),
    /** Creates a sheet as a user would: its grid ends with its last row. */
    fill: (title: string, rows: (Value | undefined)[][]) =>
      void grids.push({ id: grids.length, title, rows, rowCount: rows.length, columnCount: rows[0]?.length ?? 1 }),
    /** Returns the values of a sheet, with null for empty cells. */
    read: (title: string): readonly (readonly (Value | null)[])[] => {
      const rows = grids.find((each) => each.title === title)?.rows ?? []
      const width = Math.max(0, ...rows.map((row) => row.length))
      return rows.map((row) => Array.from({ length: width }, (_, at) => row[at] ?? null))
    },
  }
}
