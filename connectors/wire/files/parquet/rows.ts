import { BrokenFile } from '../broken-file.ts'
import type { FileRow } from '../csv.ts'
import type { FileScan } from '../read-records.ts'
import { type Node, type ParquetFooter, readFooter } from './footer.ts'
import { type LeafReader, type OpenPages, readLeaf } from './pages.ts'
import { jsonOf, kindOfLeaf, textsOf, type ValueKind } from './value-texts.ts'

/**
 * Maximum characters of a row and of all rows, maximum columns, maximum characters of a name, and maximum rows and
 * characters of a batch.
 */
const rowCharacters = 8 * 1024 * 1024
const fileCharacters = 20 * 1024 * 1024 * 1024
const maxColumns = 2000
const nameCharacters = 300
const rowsAtATime = 500
const charactersAtATime = 1024 * 1024

/**
 * Whether a node is a LIST or MAP, by both generations of annotations (LogicalTypes.md). Some writers use MAP_KEY_VALUE
 * for MAP.
 */
const isList = ({ logical, converted }: Node): boolean => logical?.has(3) === true || converted === 3
const isMap = ({ logical, converted }: Node): boolean => logical?.has(2) === true || converted === 1 || converted === 2

/** Whether the repeated member of a list is the element itself, as older writers write it. */
const isElement = (list: Node, repeated: Node): boolean =>
  repeated.children.length !== 1 || repeated.name === 'array' || repeated.name === `${list.name}_tuple`

type Leaves = readonly LeafReader[]

const firstLeaf = (node: Node): Node => {
  const [first] = node.children
  return first === undefined ? node : firstLeaf(first)
}

const leafOf = (node: Node, leaves: Leaves): LeafReader => {
  const found = leaves[node.leaf?.at ?? -1]
  if (found === undefined) throw new Error('A leaf has no reader')
  return found
}

/** Returns the definition level of the next entry. */
const definitionAt = (node: Node, leaves: Leaves): number => leafOf(firstLeaf(node), leaves).definition()

const misfit = (node: Node): BrokenFile =>
  new BrokenFile(`The Parquet file is damaged: the parts of ${node.name} do not fit together`)

/** Takes the entry of each leaf for a node that has no value; returns the number of characters of the nulls. */
const skip = (node: Node, leaves: Leaves, defined: number): number => {
  if (node.leaf === undefined) {
    return node.children.reduce((sum, child) => sum + skip(child, leaves, defined), 0)
  }
  const leaf = leafOf(node, leaves)
  if (leaf.definition() !== defined) throw misfit(node)
  leaf.take()
  return 4
}

/** Creates functions that read one value of a node and convert it to text. */
const createValueReader = (kinds: readonly ValueKind[], onCharacters: (count: number) => void) => {
  const kindOf = (node: Node): ValueKind => {
    const found = kinds[node.leaf?.at ?? -1]
    if (found === undefined) throw new Error('A leaf has no kind')
    return found
  }
  const itemsOf = (repeated: Node, leaves: Leaves, read: () => string): string[] => {
    const defined = definitionAt(repeated, leaves)
    if (defined < repeated.maxDefinition) {
      onCharacters(skip(repeated, leaves, defined))
      return []
    }
    const first = leafOf(firstLeaf(repeated), leaves)
    const items: string[] = []
    do items.push(read())
    while (first.repetition() === repeated.maxRepetition)
    return items
  }

  const mapOf = (repeated: Node, key: Node, value: Node | undefined, leaves: Leaves): string => {
    const pairs = new Map<string, string>()
    itemsOf(repeated, leaves, () => {
      // For a repeated key, the last value counts (LogicalTypes.md, Maps).
      const name = jsonAt(key, leaves)
      pairs.set(name, value === undefined ? 'null' : jsonAt(value, leaves))
      return ''
    })
    if (key.leaf === undefined || kindOf(key).inJson !== 'text')
      return `[${[...pairs].map(([name, of]) => `{"key":${name},"value":${of}}`).join()}]`
    return `{${[...pairs].map(([name, of]) => `${name}:${of}`).join()}}`
  }

  /** Returns the JSON of a present node. */
  const bodyOf = (node: Node, leaves: Leaves): string => {
    if (node.leaf !== undefined) {
      const value = leafOf(node, leaves).take()
      if (value === null) throw misfit(node)
      onCharacters(value.length + 2)
      return jsonOf(kindOf(node), value)
    }
    const [repeated] = node.children
    if (node.children.length === 1 && repeated?.repetition === 'repeated') {
      const [first, second] = repeated.children
      if (isMap(node) && first !== undefined && repeated.children.length <= 2)
        return mapOf(repeated, first, second, leaves)
      if (isList(node)) {
        const element = first === undefined || isElement(node, repeated) ? undefined : first
        const read = (): string => (element === undefined ? bodyOf(repeated, leaves) : jsonAt(element, leaves))
        return `[${itemsOf(repeated, leaves, read).join()}]`
      }
    }
    onCharacters(2)
    return `{${node.children.map((child) => `${JSON.stringify(child.name)}:${jsonAt(child, leaves)}`).join()}}`
  }

  const jsonAt = (node: Node, leaves: Leaves): string => {
    if (node.repetition === 'repeated') return `[${itemsOf(node, leaves, () => bodyOf(node, leaves)).join()}]`
    const defined = definitionAt(node, leaves)
    if (defined >= node.maxDefinition) return bodyOf(node, leaves)
    onCharacters(skip(node, leaves, defined))
    return 'null'
  }

  return {
    /** Returns the value of a column in the next row; a nested value as JSON, null if there is none. */
    valueOf(column: Node, leaves: Leaves): string | null {
      if (column.leaf !== undefined && column.repetition !== 'repeated') {
        const value = leafOf(column, leaves).take()
        onCharacters(value?.length ?? 0)
        return value
      }
      const json = jsonAt(column, leaves)
      return json === 'null' ? null : json
    },
  }
}

const checkNames = (columns: readonly Node[]): void => {
  if (columns.length === 0) throw new BrokenFile('The Parquet file has no columns')
  if (columns.length > maxColumns)
    throw new BrokenFile(`The file has more than ${maxColumns.toLocaleString('en-US')} columns`)
  const known = new Set<string>()
  for (const [at, { name }] of columns.entries()) {
    if (name === '' || name.length > nameCharacters || name.includes('\0'))
      throw new BrokenFile(`The name of column ${at + 1} is not valid`)
    if (known.has(name)) throw new BrokenFile(`Two columns are called ${name}`)
    known.add(name)
  }
}

/** Yields rows in batches, one row group after the other. */
function* rowsOf(fd: number, { columns, leaves, rowGroups }: ParquetFooter): Generator<FileRow[], void, void> {
  const kinds = leaves.map(kindOfLeaf)
  let inRow = 0
  let inFile = 0
  let row = 0
  const { valueOf } = createValueReader(kinds, (count) => {
    inRow += count
    if (inRow > rowCharacters) throw new BrokenFile(`Row ${row} is longer than ${rowCharacters / 1024 / 1024} MB`)
  })
  for (const { rows, chunks } of rowGroups) {
    const open: OpenPages = { bytes: 0 }
    const readers = chunks.map((chunk, at) => {
      const [leaf, kind] = [leaves[at], kinds[at]]
      if (leaf === undefined || kind === undefined) throw new Error('A row group has more chunks than leaves')
      return readLeaf(fd, chunk, leaf, textsOf(kind), open)
    })
    let found: FileRow[] = []
    let inFound = 0
    for (let index = 0; index < rows; index++) {
      row++
      inRow = 0
      // A repetition belongs to the previous row, which has ended.
      if (readers.some((reader) => reader.repetition() > 0))
        throw new BrokenFile(`The Parquet file is damaged: row ${row} has parts that do not fit together`)
      found.push(columns.map((column) => valueOf(column, readers)))
      inFile += inRow + columns.length
      inFound += inRow
      if (inFile > fileCharacters) throw new BrokenFile('The Parquet file has more than 20 GB when it is unpacked')
      if (found.length === rowsAtATime || inFound > charactersAtATime) {
        yield found
        found = []
        inFound = 0
      }
    }
    if (found.length > 0) yield found
    if (readers.some((reader) => reader.repetition() !== -1))
      throw new BrokenFile('The Parquet file is damaged: a column has more rows than the others')
  }
}

/**
 * Yields the rows of a Parquet file, as texts in PostgreSQL's formats. Throws BrokenFile with the position for a broken
 * file.
 */
export function* readParquet(fd: number, size: number): Generator<FileRow[], void, void> {
  yield* rowsOf(fd, readFooter(fd, size))
}

/**
 * Reads all of a Parquet file, and returns its columns and the number of rows. Throws BrokenFile if the file is broken
 * anywhere.
 */
export const scanParquet = (fd: number, size: number): FileScan => {
  const footer = readFooter(fd, size)
  checkNames(footer.columns)
  for (const rows of rowsOf(fd, footer)) void rows
  const columns = footer.columns.map((column) => ({
    name: column.name,
    type: column.leaf === undefined || column.repetition === 'repeated' ? 'jsonb' : kindOfLeaf(column).type,
  }))
  return { columns, rows: footer.rows }
}
