import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { afterEach, expect, test, vi } from 'vitest'
import { startWatchdog } from './watchdog.ts'

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
