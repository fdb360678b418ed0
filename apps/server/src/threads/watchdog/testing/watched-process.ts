// A process for tests that acts only on commands from its standard input. It responds, blocks its main thread with a
// work item, or blocks another thread.
import { createInterface } from 'node:readline'
import { Worker } from 'node:worker_threads'
import { inWork } from '@tributary/kernel'
import { offerReplacing, startWatchdog } from '../watchdog.ts'

const [dataDir = '', endMs = ''] = process.argv.slice(2)
const say = (text: string): void => void process.stdout.write(`${text}\n`)

const watchdog = startWatchdog({ dataDir, logMs: Number(endMs) / 2, endMs: Number(endMs), launcher: undefined })

/** Starts a thread that blocks on a message; it is restarted after it was ended. */
const startBeside = (): void => {
  const worker = new Worker(new URL('./watched-thread.ts', import.meta.url), { name: 'beside' })
  const forget = offerReplacing(worker.threadId, () => void worker.terminate())
  let isBlocking = false
  const block = (): void => {
    isBlocking = true
    worker.postMessage('block')
  }
  process.once('block beside', block)
  worker.once('message', () => say('beside is ready'))
  worker.once('exit', () => {
    forget()
    if (isBlocking) startBeside()
  })
}
startBeside()

createInterface({ input: process.stdin }).on('line', (line) => {
  const [kind, item = ''] = line.split(' ')
  if (kind === 'answer') say(`answered ${item}`)
  if (kind === 'close') watchdog.pause()
  if (kind === 'beside') process.emit('block beside' as never)
  if (kind === 'block' || kind === 'close')
    inWork({ step: 'sources.list', workspaceId: 'w1', item }, () => {
      const until = kind === 'close' ? performance.now() + 3 * Number(endMs) : Number.POSITIVE_INFINITY
      while (performance.now() < until);
      say('closed')
    })
  if (kind === 'regex')
    inWork({ step: 'mappings.preview', workspaceId: 'w1', item }, () => /^(a+)+$/.test(`${'a'.repeat(60)}b`))
  if (kind === 'native')
    inWork({ step: 'log.append', workspaceId: 'w1', item }, () =>
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0),
    )
})
watchdog.watch()
say('ready')
