import { once } from 'node:events'
import { silentLogger } from '@tributary/kernel'
import { expect, test } from 'vitest'
import { createRoleThread, type LoadedThread, loadThread } from './role-thread.ts'

/** The program of a thread that reports when its code is loaded, receives its data, and responds with the data. */
const program = `
  import { parentPort, threadId, workerData } from 'node:worker_threads'
  parentPort.postMessage({ kind: 'metrics', changes: [] })
  const data = await new Promise((resolve) => workerData.begin.once('message', resolve))
  workerData.begin.close()
  parentPort.on('message', (command) => {
    if (command.kind === 'stop') parentPort.close()
    else if (command.question === 'end') process.exit(1)
    else parentPort.postMessage({ kind: 'answer', id: command.id, value: { ...data, threadId } })
  })
  parentPort.postMessage({ kind: 'ready' })`
const code = { name: 'tested', entry: new URL(`data:text/javascript,${encodeURIComponent(program)}`), heapMiB: 64 }

const threadOf = (loaded: LoadedThread | undefined) => {
  let starts = 0
  return createRoleThread({
    ...code,
    loaded,
    data: () => ({ value: { start: ++starts }, transfer: [] }),
    logger: silentLogger,
    onMetrics: () => {},
  })
}

test('a thread that was created in advance is used for the first start, and each later start gets a new thread', async () => {
  const loaded = loadThread(code)
  await once(loaded.worker, 'message')
  const ahead = loaded.worker.threadId
  const thread = threadOf(loaded)
  await thread.start()
  expect(await thread.relay('who', undefined)).toEqual({ start: 1, threadId: ahead })
  await loaded.worker.terminate()
  await expect.poll(() => thread.running()).toBe(true)
  expect(await thread.relay('who', undefined)).toEqual({
    start: 2,
    threadId: expect.not.toSatisfy((id) => id === ahead),
  })
  await thread.stop()
})

test.each([
  [
    'cannot be made',
    () => {
      throw new Error('The hub is closed')
    },
  ],
  ['cannot be sent', () => ({ value: { start: () => {} }, transfer: [] })],
])('the start of a role whose data %s is rejected, and its stop causes no further rejection', async (_, data) => {
  const thread = createRoleThread({ ...code, data, logger: silentLogger, onMetrics: () => {} })
  await expect(thread.start()).rejects.toThrow()
  await thread.stop()
})

test('a question that cannot be sent is rejected once, and the end of the thread causes no further rejection', async () => {
  const thread = threadOf(undefined)
  await thread.start()
  await expect(thread.relay('who', () => {})).rejects.toThrow('could not be cloned')
  await thread.stop()
})

test('a role that is stopped while it waits for its restart does not start', async () => {
  let starts = 0
  const thread = createRoleThread({
    ...code,
    data: () => ({ value: { start: ++starts }, transfer: [] }),
    logger: silentLogger,
    onMetrics: () => {},
  })
  await thread.start()
  await expect(thread.relay('end', undefined)).rejects.toThrow('ended')
  expect(thread.running()).toBe(false)
  await thread.stop()
  await new Promise((resolve) => setTimeout(resolve, 1000))
  expect(starts).toBe(1)
})

test('waiting for a start rejects if the thread is ended before it is ready', async () => {
  const never = { ...code, entry: new URL(`data:text/javascript,${encodeURIComponent('setInterval(() => {}, 1000)')}`) }
  const thread = createRoleThread({
    ...never,
    data: () => ({ value: {}, transfer: [] }),
    logger: silentLogger,
    onMetrics: () => {},
  })
  const begun = expect(thread.start()).rejects.toThrow('ended before it was ready')
  await thread.stop(0)
  await begun
})

test('a thread that ended before it began is created again', async () => {
  const loaded = loadThread({ ...code, entry: new URL('data:text/javascript,throw new Error("no code")') })
  await new Promise((resolve) => loaded.worker.once('exit', resolve))
  const thread = threadOf(loaded)
  await thread.start()
  expect(await thread.relay('who', undefined)).toMatchObject({ start: 1 })
  await thread.stop()
})
