import { open } from 'node:fs/promises'
import { parentPort, workerData } from 'node:worker_threads'
import type { KeyCheck } from '@tributary/connector-kit'
import { BrokenFile } from './broken-file.ts'
import { createKeyCount } from './count-keys.ts'
import type { FileRow } from './csv.ts'
import type { FileColumn, FileFormat, FileScan } from './read-records.ts'
import { createFiles } from './several-files.ts'

/** Which files a thread reads, one behind the other. */
export type FileThreadData = { files: readonly { name: string; path: string; format: FileFormat }[] }

/** What a thread is asked, one thing after the other. `next` follows `begin`. */
export type FileQuestion =
  | { kind: 'scan' }
  | { kind: 'begin'; columns: FileColumn[] }
  | { kind: 'next' }
  | { kind: 'count'; columns: FileColumn[]; places: number[] }

/** What it answers: `broken` is a file that is not what it is said to be. */
export type FileAnswer =
  | { kind: 'scanned'; scan: FileScan }
  | { kind: 'rows'; rows: FileRow[]; last: boolean }
  | { kind: 'counted'; counts: KeyCheck }
  | { kind: 'broken'; message: string }
  | { kind: 'failed'; message: string }

/** Rows of an answer, and characters of them. */
const mostRows = 10_000
const mostCharacters = 1024 * 1024

const { files } = workerData as FileThreadData
// From now on it is these files, also when others take their place.
const opened = Promise.all(files.map(async (file) => ({ ...file, handle: await open(file.path, 'r') }))).then(
  createFiles,
)
// It is waited for with the first question.
opened.catch(() => {})

let reading: AsyncGenerator<FileRow[], void, void> | undefined
let waiting: FileRow[] = []

const nextRows = async (): Promise<FileAnswer> => {
  const rows: FileRow[] = []
  let characters = 0
  for (;;) {
    for (const [at, row] of waiting.entries()) {
      rows.push(row)
      for (const value of row) characters += (value?.length ?? 0) + 8
      if (rows.length < mostRows && characters < mostCharacters) continue
      waiting = waiting.slice(at + 1)
      return { kind: 'rows', rows, last: false }
    }
    waiting = []
    const found = await reading?.next()
    if (found?.value === undefined) return { kind: 'rows', rows, last: true }
    waiting = found.value
  }
}

const answer = async (question: FileQuestion): Promise<FileAnswer> => {
  const given = await opened
  switch (question.kind) {
    case 'scan':
      return { kind: 'scanned', scan: await given.scan() }
    case 'begin':
      reading = given.rows(question.columns)
      waiting = []
      return await nextRows()
    case 'next':
      return await nextRows()
    case 'count': {
      const count = createKeyCount(question.places)
      for await (const rows of given.rows(question.columns)) for (const row of rows) count.add(row)
      return { kind: 'counted', counts: count.result() }
    }
  }
}

parentPort?.on('message', (question: FileQuestion) => {
  void answer(question)
    .catch((error: unknown): FileAnswer => {
      const message = error instanceof Error ? error.message : String(error)
      return { kind: error instanceof BrokenFile ? 'broken' : 'failed', message }
    })
    .then((reply) => parentPort?.postMessage(reply))
})
