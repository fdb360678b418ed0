import type { MessagePort } from 'node:worker_threads'
import { type Logger, silentLogger } from '@tributary/kernel'
import type { Coordination } from '../port.ts'
import { createFlow, createReceipts, type FromHub, type Question, type ToHub } from './frames.ts'
import { createListeners, toText } from './listeners.ts'

type Waiting = { resolve: (value: number) => void; reject: (error: Error) => void }

/**
 * Connects a worker thread to the coordination of its process, over a port from `CoordinationHub.port()`. The
 * connection keeps the thread alive only while a call waits for its answer. When the hub has closed, waiting and later
 * calls reject, and no more messages arrive.
 */
export const connectCoordination = (
  port: MessagePort,
  { logger = silentLogger }: { logger?: Logger } = {},
): Coordination => {
  const listeners = createListeners(logger)
  const waiting = new Map<number, Waiting>()
  const flow = createFlow()
  let lastId = 0
  let closed = false

  const say = (frame: ToHub): void => port.postMessage(frame)
  const read = createReceipts((bytes) => say({ kind: 'handled', bytes }))

  const end = (): void => {
    closed = true
    for (const { reject } of waiting.values()) reject(new Error('The coordination is closed'))
    waiting.clear()
    listeners.clear()
  }

  port.on('message', (frame: FromHub) => {
    if (frame.kind === 'message') {
      listeners.deliver(frame.topic, frame.text)
      read(frame.text.length)
    } else if (frame.kind === 'handled') flow.handled(frame.bytes)
    else {
      if (frame.kind === 'answer') waiting.get(frame.id)?.resolve(frame.value)
      else waiting.get(frame.id)?.reject(new Error(frame.message))
      waiting.delete(frame.id)
      if (waiting.size === 0) port.unref()
    }
  })
  port.on('close', end)
  port.unref()

  const ask = (question: Question): Promise<number> =>
    new Promise((resolve, reject) => {
      if (closed) {
        reject(new Error('The coordination is closed'))
        return
      }
      lastId += 1
      waiting.set(lastId, { resolve, reject })
      port.ref()
      say({ kind: 'question', id: lastId, question })
    })

  return {
    publish(topic, message) {
      if (closed) return
      const text = toText(message)
      if (flow.admit(text.length)) say({ kind: 'publish', topic, text })
    },
    subscribe(topic, listener) {
      if (closed) return () => {}
      const own = (message: unknown): void => listener(message)
      if (listeners.add(topic, own)) say({ kind: 'subscribe', topic })
      return () => {
        if (listeners.remove(topic, own) && !closed) say({ kind: 'unsubscribe', topic })
      }
    },
    increment: (key, by, ttlMs) => ask({ kind: 'increment', key, by, ttlMs }),
    acquireLease: async (name, holder, ttlMs) => (await ask({ kind: 'acquire', name, holder, ttlMs })) || undefined,
    async releaseLease(name, holder) {
      await ask({ kind: 'release', name, holder })
    },
    async close() {
      end()
      port.close()
    },
  }
}
