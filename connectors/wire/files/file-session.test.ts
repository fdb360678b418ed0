import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createThreadBoard, inWork, readThreadBoard } from '@tributary/kernel'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openFileSession } from './file-session.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-session-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const board = createThreadBoard()
const fileThreads = () => readThreadBoard(board).filter(({ name }) => name === 'file')

test.each([
  ['a job', { step: 'job run-sync', workspaceId: 'w1', item: 'job run-sync {"sync":"s"}' }],
  ['a call', { step: 'dataSources.preview', workspaceId: 'w2', item: 'call dataSources.preview' }],
  ['neither', undefined],
])(
  'the board shows a thread that reads files with its current work, until the session ends: %s',
  async (_title, work) => {
    const path = join(folder, 'a.csv')
    await writeFile(path, 'id,name\n1,Ada\n2,Bob\n')
    const open = () =>
      openFileSession({
        title: 'a.csv',
        files: [{ name: 'a.csv', path, format: { kind: 'csv', delimiter: '', header: true } }],
        known: undefined,
        signal: new AbortController().signal,
      })
    const session = work === undefined ? open() : inWork(work, open)
    expect((await session.scan()).rows).toBe(2)
    expect(fileThreads()).toMatchObject([
      {
        isWatched: true,
        isOnlyNamed: true,
        work: {
          step: work === undefined ? 'files.read' : `files.read for ${work.step}`,
          workspaceId: work?.workspaceId ?? '',
          item: work?.item ?? '',
        },
      },
    ])
    await session[Symbol.asyncDispose]()
    expect(fileThreads()).toEqual([])
  },
)
