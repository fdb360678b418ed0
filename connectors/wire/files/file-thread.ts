import { open } from 'node:fs/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { joinThreadBoard, type KeyCheck, type WorkNote } from '@tributary/connector-kit'
import { BrokenFile } from './broken-file.ts'
import { createKeyCount } from './count-keys.ts'
import type { FileRow } from './csv.ts'
import type { FileColumn, FileFormat, FileScan } from './read-records.ts'
import { createFiles } from './several-files.ts'

/** The files that a thread reads, in order. */
export type FileThreadData = {
  files: readonly { name: string; path: string; format: FileFormat }[]
  /** The call or job that reads the files. */
  work: WorkNote | undefined
}

/** The requests to a thread, one at a time. `next` follows `begin`. */
export type FileQuestion =
  | { kind: 'scan' }
  | { kind: 'begin'; columns: FileColumn[] }
  | { kind: 'next' }
  | { kind: 'count'; columns: FileColumn[]; places: number[] }

/** The thread's answers: `broken` means that the file does not match its format. */
export type FileAnswer =
  | { kind: 'scanned'; scan: FileScan }
  | { kind: 'rows'; rows: FileRow[]; last: boolean }
  | { kind: 'counted'; counts: KeyCheck }
  | { kind: 'broken'; message: string }
  | { kind: 'failed'; message: string }

/** Maximum rows of an answer, and maximum characters of the rows. */
const maxRows = 2000
const maxCharacters = 512 * 1024

const { files, work } = workerData as FileThreadData
// Only the thread that started this thread can end it, whatever this thread is working on.
const place = joinThreadBoard('file', { isOnlyNamed: true })
place.keepWork({
  step: work === undefined ? 'files.read' : `files.read for ${work.step}`,
  workspaceId: work?.workspaceId ?? '',
  item: work?.item ?? '',
})
place.watch()
// Opens the files once, so that replaced files do not affect the reading.
const opened = Promise.all(files.map(async (file) => ({ ...file, handle: await open(file.path, 'r') }))).then(
  createFiles,
)
// The first request waits for this promise and gets its error.
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
      if (rows.length < maxRows && characters < maxCharacters) continue
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
