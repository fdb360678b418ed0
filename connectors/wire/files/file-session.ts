import { Worker } from 'node:worker_threads'
import {
  type DataQuery,
  DataQueryError,
  type DataRow,
  type DataSourceSession,
  type FileScan,
  fileTable,
  forgetBoardThread,
  workOfCall,
} from '@tributary/connector-kit'
import type { FileAnswer, FileQuestion, FileThreadData } from './file-thread.ts'
import type { FileFormat } from './read-records.ts'

/**
 * Maximum memory of a thread that reads a file, in MB. A row takes only a part of it. The young generation holds little
 * more than the rows of one answer.
 */
const threadMegabytes = 512
const youngMegabytes = 6

const memoryWords = 'Reading the file takes too much memory. Its rows or values are too large'

type Thread = AsyncDisposable & { ask(question: FileQuestion): Promise<FileAnswer> }

/** Starts a separate thread that reads files. The thread delays no other work and can be ended. */
const startThread = (data: Pick<FileThreadData, 'files'>, signal: AbortSignal): Thread => {
  const worker = new Worker(new URL('./file-thread.ts', import.meta.url), {
    workerData: { ...data, work: workOfCall() } satisfies FileThreadData,
    name: 'file',
    resourceLimits: { maxOldGenerationSizeMb: threadMegabytes, maxYoungGenerationSizeMb: youngMegabytes },
  })
  let pending: PromiseWithResolvers<FileAnswer> | undefined
  let ended: Error | undefined
  const end = (error: Error): void => {
    ended ??= error
    pending?.reject(ended)
    void worker.terminate()
  }
  const onAbort = (): void => end(new Error('Reading the file was given up', { cause: signal.reason }))
  worker.on('message', (answer: FileAnswer) => pending?.resolve(answer))
  worker.on('error', (error: unknown) => {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    const isMemory = code === 'ERR_WORKER_OUT_OF_MEMORY'
    end(
      isMemory
        ? new DataQueryError(memoryWords, { cause: error })
        : new Error('Reading the file failed', { cause: error }),
    )
  })
  const { threadId } = worker
  worker.on('exit', () => {
    forgetBoardThread(threadId)
    end(new Error('The thread that reads a file has ended'))
  })
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  return {
    async ask(question) {
      if (ended !== undefined) throw ended
      pending = Promise.withResolvers()
      worker.postMessage(question)
      return await pending.promise
    },
    [Symbol.asyncDispose]: async () => {
      signal.removeEventListener('abort', onAbort)
      ended ??= new Error('The file is closed')
      await worker.terminate()
    },
  }
}

const requireFileTable = (query: DataQuery): void => {
  if ('sql' in query) throw new DataQueryError('A file has no SQL. Choose its table')
  if (query.schema !== fileTable.schema || query.table !== fileTable.name)
    throw new DataQueryError(`A file has one table, ${fileTable.schema}.${fileTable.name}`)
}

/**
 * Opens a session on files, which a separate thread with limited memory reads. The rows of all files are one table.
 * With an earlier scan of the same file in the same format, the file need not be read for its columns. A broken file
 * causes a DataQueryError with the line.
 */
export const openFileSession = (given: {
  /** Readable name of the file. */
  title: string
  files: readonly { name: string; path: string; format: FileFormat }[]
  known: FileScan | undefined
  signal: AbortSignal
}): DataSourceSession & { scan(): Promise<FileScan> } => {
  const thread = startThread({ files: given.files }, given.signal)
  const ask = async (question: FileQuestion): Promise<FileAnswer> => {
    const answer = await thread.ask(question)
    if (answer.kind === 'broken') throw new DataQueryError(answer.message)
    if (answer.kind === 'failed') throw new Error(`Reading the file failed: ${answer.message}`)
    return answer
  }
  let found = given.known
  const scan = async (): Promise<FileScan> => {
    if (found !== undefined) return found
    const answer = await ask({ kind: 'scan' })
    if (answer.kind !== 'scanned') throw new Error('The thread answered something else')
    found = answer.scan
    return found
  }
  return {
    scan,
    about: async () => {
      const { rows } = await scan()
      return `${given.title}: ${rows.toLocaleString('en-US')} ${rows === 1 ? 'row' : 'rows'}.`
    },
    listTables: async ({ search, offset, limit }) =>
      [{ ...fileTable, kind: 'table' as const, rows: (await scan()).rows }]
        .filter(({ schema, name }) => `${schema}.${name}`.includes(search.toLowerCase()))
        .slice(offset, offset + limit),
    listColumns: async ({ schema, table }, limit) =>
      schema === fileTable.schema && table === fileTable.name
        ? (await scan()).columns.slice(0, limit).map((column) => ({ ...column, nullable: true, in_key: false }))
        : [],
    async describe(query) {
      requireFileTable(query)
      return (await scan()).columns
    },
    async *read(query, limit): AsyncGenerator<readonly DataRow[], void, void> {
      requireFileTable(query)
      const { columns } = await scan()
      let left = limit
      for (let question: FileQuestion = { kind: 'begin', columns }; left > 0; question = { kind: 'next' }) {
        const answer = await ask(question)
        if (answer.kind !== 'rows') throw new Error('The thread answered something else')
        const rows = answer.rows.slice(0, left)
        left -= rows.length
        if (rows.length > 0) yield rows
        if (answer.last) return
      }
    },
    async checkKey(query, key) {
      requireFileTable(query)
      const { columns } = await scan()
      const places = key.map((name) => {
        const at = columns.findIndex((column) => column.name === name)
        if (at === -1) throw new DataQueryError(`The file has no column ${name}`)
        return at
      })
      const answer = await ask({ kind: 'count', columns, places })
      if (answer.kind !== 'counted') throw new Error('The thread answered something else')
      return answer.counts
    },
    [Symbol.asyncDispose]: () => thread[Symbol.asyncDispose](),
  }
}
