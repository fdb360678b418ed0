import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Worker } from 'node:worker_threads'
import { createThreadBoard, readThreadBoard } from '@tributary/kernel'
import { expect, test } from 'vitest'
import { createFolder } from './testing.ts'
import { openLogWriter } from './writer.ts'

const board = createThreadBoard()
const writers = () => readThreadBoard(board).filter(({ name }) => name === 'log-writer')

test.each([
  ['ends by itself', (worker: Worker) => void worker.terminate()],
  ['is ended twice', (worker: Worker) => void worker.terminate().then(() => worker.terminate())],
])('the watchdog stops watching a log thread that %s, and watches the next one', async (_title, end) => {
  await using folder = await createFolder()
  const made: Worker[] = []
  const note = (message: unknown): void => void made.push((message as { worker: Worker }).worker)
  subscribe('worker_threads', note)
  const writer = await openLogWriter({ dir: folder.path, partitions: 1 })
  unsubscribe('worker_threads', note)
  expect(writers()).toMatchObject([{ isWatched: true }])
  const [worker] = made
  if (worker === undefined) throw new Error('no thread was made')
  const ended = new Promise((resolve) => worker.once('exit', resolve))
  end(worker)
  await ended
  expect(writers()).toEqual([])
  await writer.stats()
  expect(writers()).toMatchObject([{ isWatched: true }])
  await writer.close()
  expect(writers()).toEqual([])
})
