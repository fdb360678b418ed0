// The thread that watches all others. It writes synchronously, since the thread that would otherwise write may be the
// one that does not respond.
import { randomUUID } from 'node:crypto'
import { readFileSync, writeSync } from 'node:fs'
import { Session } from 'node:inspector'
import { parentPort, workerData } from 'node:worker_threads'
import { type BoardThread, readThreadBoard } from '@tributary/kernel'
import { noteBlock } from './blocks-file.ts'
import { createSilenceWatch } from './silence.ts'
import type { WatchdogData, WatchdogMessage } from './watchdog.ts'

const { board, bounds, file, launcher } = workerData as WatchdogData

/** Returns how long a thread has waited for a processor, ms; 0 if the system does not report it. */
const queuedMs = ({ osThread }: BoardThread): number => {
  if (osThread === 0) return 0
  try {
    const [, queued = '0'] = readFileSync(`/proc/self/task/${osThread}/schedstat`, 'utf8').split(' ')
    return Number(queued) / 1e6
  } catch {
    return 0
  }
}

const watch = createSilenceWatch(bounds, queuedMs)
/** Maximum time in ms to wait for the stack of the main thread. During a native function, no stack is available. */
const stackMs = 1000
/** How long the main thread may take to end the process, ms. */
const endingMs = 2000

const write = (descriptor: number, text: string): void => {
  try {
    writeSync(descriptor, `${text}\n`)
  } catch {
    // No process reads the output, so the error is ignored.
  }
}

const log = (message: string, { name, work }: BoardThread, silentMs: number, more: object = {}): void =>
  write(
    1,
    JSON.stringify({
      level: 'error',
      time: new Date().toISOString(),
      thread: name,
      ...(work === undefined ? {} : { step: work.step, workspaceId: work.workspaceId, item: work.item }),
      silentMs: Math.round(silentMs),
      ...more,
      msg: message,
    }),
  )

/**
 * Makes the main thread evaluate an expression while it runs other code: the engine also handles such requests inside
 * loops and expressions.
 */
const evaluateInMain = (expression: string, answer: (value: unknown) => void): (() => void) => {
  const session = new Session()
  session.connectToMainThread()
  session.post('Runtime.evaluate', { expression, returnByValue: true }, (_, found) => answer(found?.result.value))
  return () => session.disconnect()
}

const logWithStack = (thread: BoardThread, silentMs: number): void => {
  const say = (more: object): void => log('thread does not answer', thread, silentMs, more)
  if (thread.threadId !== 0) return say({})
  let isSaid = false
  const once = (more: object): void => {
    if (isSaid) return
    isSaid = true
    clearTimeout(timer)
    say(more)
    disconnect()
  }
  const timer = setTimeout(() => once({}), stackMs)
  const disconnect = evaluateInMain('new Error("stack").stack', (stack) =>
    // Removes the line of the evaluated expression itself.
    once(typeof stack === 'string' ? { stack: stack.split('\n').slice(2).join('\n').slice(0, 4000) } : {}),
  )
}

const note = ({ name, work }: BoardThread): void => {
  try {
    noteBlock(file, {
      id: randomUUID(),
      time: new Date().toISOString(),
      thread: name,
      step: work?.step ?? '',
      workspaceId: work?.workspaceId ?? '',
      item: work?.item ?? '',
    })
  } catch (error) {
    write(2, `What blocked the thread ${name} cannot be noted in ${file}: ${String(error)}`)
  }
}

/**
 * Ends the process. The exit code is 1 if the main thread can still end itself, whatever other threads do; otherwise it
 * ends by SIGKILL.
 */
const endProcess = (thread: BoardThread, silentMs: number): void => {
  const doing = thread.work === undefined ? '' : `, which did ${thread.work.step}`
  const why = `The thread ${thread.name}${doing}, has not answered for ${Math.round(silentMs / 1000)} seconds. Tributary ends`
  log('process ends, since a thread does not answer', thread, silentMs)
  write(2, `${why}.`)
  if (launcher !== undefined) write(launcher, why)
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), endingMs)
  // An exit waits for all threads, but replacing the program does not.
  evaluateInMain("process.execve(process.execPath, ['node', '-e', 'process.exit(1)'], {})", () => {})
}

const tell = (message: WatchdogMessage): void => parentPort?.postMessage(message)

let isEnding = false
setInterval(() => {
  if (isEnding) return
  for (const { kind, thread, silentMs } of watch.look(performance.now(), readThreadBoard(board))) {
    if (kind === 'log') {
      logWithStack(thread, silentMs)
      continue
    }
    note(thread)
    if (kind === 'end') {
      isEnding = true
      endProcess(thread, silentMs)
      return
    }
    log('thread is ended and started again, since it does not answer', thread, silentMs)
    tell({ kind: 'replace', threadId: thread.threadId })
  }
}, bounds.tickMs)
