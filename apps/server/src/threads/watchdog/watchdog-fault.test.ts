import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { createThreadBoard, readThreadBoard } from '@tributary/kernel'
import { afterEach, expect, test, vi } from 'vitest'
import { offerReplacing, startWatchdog } from './watchdog.ts'

afterEach(() => vi.restoreAllMocks())

test('a watchdog that fails logs its end, and does not end the process that it watches', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'tributary-watchdog-'))
  const made: Worker[] = []
  const note = (message: unknown): void => void made.push((message as { worker: Worker }).worker)
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  subscribe('worker_threads', note)
  const watchdog = startWatchdog({ dataDir, logMs: 10_000, endMs: 30_000, launcher: undefined })
  unsubscribe('worker_threads', note)
  // Emits the error of a thread that is out of memory. Without a listener, that ends the process.
  made[0]?.emit('error', new Error('out of memory'))
  expect(said.mock.calls.join(' ')).toContain('The watchdog has ended')
  await watchdog.stop()
  rmSync(dataDir, { recursive: true, force: true })
})

test('without a limit, threads are on the board until they end, and nothing watches them', async () => {
  const made: Worker[] = []
  const note = (message: unknown): void => void made.push((message as { worker: Worker }).worker)
  subscribe('worker_threads', note)
  const watchdog = startWatchdog({ dataDir: '', logMs: 0, endMs: 0, launcher: undefined })
  unsubscribe('worker_threads', note)
  expect(made).toEqual([])
  const beside = new Worker(new URL('./testing/watched-thread.ts', import.meta.url), { name: 'beside' })
  const forget = offerReplacing(beside.threadId, () => {})
  await once(beside, 'message')
  watchdog.watch()
  const threads = () => readThreadBoard(createThreadBoard()).map(({ name, isWatched }) => ({ name, isWatched }))
  expect(threads()).toEqual([
    { name: 'main', isWatched: false },
    { name: 'beside', isWatched: true },
  ])
  await beside.terminate()
  forget()
  await watchdog.stop()
  expect(threads()).toEqual([])
})
